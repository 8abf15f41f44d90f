import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { readBody } from "../../../src/ground/http/body/body.js";
import { bodyChunks } from "../../../src/ground/http/body/bodyStream.js";
import type { HttpRequest, RequestBody } from "../../../src/ground/http/message.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { FakeClock } from "../../../src/testing/clock.js";

const pace = { stallMs: 30_000, bytesPerSecond: 1_024 };

/** Bytes, and the milliseconds before they come. */
type Chunk = readonly [bytes: number, afterMs: number];

/** A body whose chunks turn the clock by what they take; steps of a second, so that no look is passed over. */
async function* body(clock: FakeClock, chunks: Iterable<Chunk>): AsyncGenerator<Uint8Array> {
  for (const [bytes, afterMs] of chunks) {
    await sleep(0);
    for (let left = afterMs; left > 0; left -= 1_000) clock.advance(Math.min(left, 1_000));
    yield new Uint8Array(bytes);
  }
}

const requestWith = (stream: RequestBody): HttpRequest => ({
  ...{ method: "POST", path: "/", query: "", mount: "", headers: [], signal: new AbortController().signal, native: undefined },
  body: stream,
});

const ways = ["whole", "in chunks"] as const;

/** Reads a body in one of the two ways. The reader takes `readerMs` for each chunk. */
async function read(way: (typeof ways)[number], chunks: Iterable<Chunk>, readerMs = 0) {
  const clock = new FakeClock();
  const startMs = clock.now();
  const options = { ...pace, limitBytes: 1e9, timers: clock, tooLarge: () => new ProblemError("PAYLOAD_TOO_LARGE", "x") };
  const request = requestWith({ kind: "stream", stream: body(clock, chunks) });
  let bytes = 0;
  try {
    if (way === "whole") bytes = (await readBody(request, options)).length;
    else {
      for await (const chunk of bodyChunks(request, options)) {
        bytes += chunk.length;
        if (readerMs > 0) clock.advance(readerMs);
      }
    }
    return { bytes, code: undefined, message: "", ms: clock.now() - startMs, pending: clock.pending };
  } catch (error) {
    const { code, message } = error as ProblemError;
    return { bytes, code, message, ms: clock.now() - startMs, pending: clock.pending };
  }
}

const repeated = (count: number, ...chunk: Chunk) => Array.from({ length: count }, () => chunk);

describe.each(ways)("a body that is read %s", (way) => {
  test("and drips is refused after half a minute", async () => {
    const { code, message, ms, pending } = await read(way, repeated(100, 1, 1_000));
    expect([code, message]).toEqual(["REQUEST_TIMEOUT", "The body arrives slower than 1024 bytes a second."]);
    expect(ms).toBeGreaterThanOrEqual(30_000);
    expect(ms).toBeLessThanOrEqual(32_000);
    expect(pending).toBe(0);
  });

  test("and drips after a large part of it has come is refused as well", async () => {
    const { code, ms } = await read(way, [[10_000_000, 0], ...repeated(1_000, 1, 1_000)]);
    expect(code).toBe("REQUEST_TIMEOUT");
    expect(ms).toBeLessThanOrEqual(40_000);
  });

  test("at the rate passes, and so does one in bursts", async () => {
    expect(await read(way, repeated(100, 1_200, 1_000))).toMatchObject({ bytes: 120_000, code: undefined });
    expect(await read(way, repeated(10, 100_000, 15_000))).toMatchObject({ bytes: 1_000_000, code: undefined, pending: 0 });
  });

  test("and is short may take half a minute", async () => {
    expect(await read(way, repeated(29, 1, 1_000))).toMatchObject({ bytes: 29, code: undefined });
  });
});

test("a slow reader is not a slow client", async () => {
  expect(await read("in chunks", repeated(100, 10, 0), 60_000)).toMatchObject({ bytes: 1_000, code: undefined, pending: 0 });
});
