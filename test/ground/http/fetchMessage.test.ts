import type { UnderlyingSource } from "node:stream/web";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { fetchBody, responseBody } from "../../../src/ground/http/fetchMessage.js";
import type { HttpResponse } from "../../../src/ground/http/message.js";

type Source = UnderlyingSource<Uint8Array>;

function chunksOf(source: Source): AsyncIterator<Uint8Array> {
  const init: RequestInit & { readonly duplex: "half" } = { method: "POST", body: new ReadableStream(source), duplex: "half" };
  const body = fetchBody(new Request("http://a/", init));
  if (body.kind !== "stream") throw new Error("The request has no stream.");
  return body.stream[Symbol.asyncIterator]();
}

/** A stream that always has its next chunk. */
function ready(count: number, length: number): Source {
  let made = 0;
  return {
    pull(controller) {
      if (made++ < count) controller.enqueue(new Uint8Array(length).fill(made));
      else controller.close();
    },
  };
}

/** Reads all chunks. @returns the turns of the event loop meanwhile */
async function readAll(chunks: AsyncIterator<Uint8Array>) {
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const all: Uint8Array[] = [];
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) all.push(next.value);
  isReading = false;
  return { turns, all };
}

test("a stream of single bytes costs its reader few chunks, and does not hold the event loop", async () => {
  const { turns, all } = await readAll(chunksOf(ready(200_000, 1)));
  expect(turns).toBeGreaterThan(5);
  expect(all.length).toBeLessThan(10_000);
  expect(Buffer.concat(all)).toEqual(Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index + 1) % 256)));
});

test("a stream of larger chunks is read chunk by chunk, and does not hold the event loop", async () => {
  const { turns, all } = await readAll(chunksOf(ready(100_000, 300)));
  expect(turns).toBeGreaterThan(5);
  expect(all.length).toBe(100_000);
});

test("single bytes are passed on although the next one never arrives, and an early end cancels the stream", async () => {
  let push: (byte: number) => void = () => undefined;
  let isCancelled = false;
  const chunks = chunksOf({
    start(controller) {
      push = (byte) => controller.enqueue(Uint8Array.of(byte));
    },
    cancel() {
      isCancelled = true;
    },
  });
  let seen = 0;
  for (let byte = 0; byte < 100; byte++) {
    push(byte);
    if (byte % 3 === 0) push(byte);
    while (seen <= byte + Math.floor(byte / 3)) seen += (await chunks.next()).value.length;
  }
  expect(seen).toBe(134);
  await chunks.return?.();
  expect(isCancelled).toBe(true);
});

test("single bytes that arrived before the stream failed are passed on before the error", async () => {
  let made = 0;
  const chunks = chunksOf({
    pull(controller) {
      if (made++ < 100) controller.enqueue(Uint8Array.of(made));
      else controller.error(new Error("The client is gone."));
    },
  });
  let seen = 0;
  const read = async () => {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) seen += next.value.length;
  };
  await expect(read()).rejects.toThrow("The client is gone.");
  expect(seen).toBe(100);
});

describe("the body of a response with a limit for clients that read nothing", () => {
  function limited(body: NonNullable<HttpResponse["body"]>) {
    const clock = new FakeClock();
    const state = { stalls: 0 };
    const stalled = () => {
      state.stalls += 1;
    };
    const made = responseBody(body, { stallMs: 16_000, timers: clock, stalled });
    return { clock, state, response: new Response(made), made };
  }

  /** Endless. */
  function endless() {
    const state = { made: 0, isReleased: false };
    async function* chunks() {
      try {
        for (;;) {
          state.made += 1;
          yield `${state.made},`;
        }
      } finally {
        state.isReleased = true;
      }
    }
    return { state, chunks: chunks() };
  }

  test("is handed over whole if it is short, and pulled in pieces if it is long", async () => {
    expect(limited("x".repeat(65_536)).made).toBeTypeOf("string");
    const text = `${"ä".repeat(100_000)}end`;
    for (const body of [text, Buffer.from(text)]) {
      const { response, clock } = limited(body);
      expect(await response.text()).toBe(text);
      expect(clock.pending).toBe(0);
    }
    expect(responseBody(text)).toBe(text);
  });

  test("ends with an error if nobody goes on to read it, and releases its source", async () => {
    const { state: source, chunks } = endless();
    const { response, clock, state } = limited(chunks);
    const reader = response.body?.getReader() ?? expect.fail();
    for (let read = 0; read < 10; read += 1) {
      await reader.read();
      clock.advance(15_000);
    }
    expect([state.stalls, source]).toEqual([0, { made: 10, isReleased: false }]);
    clock.advance(17_000);
    await new Promise(setImmediate);
    expect([state.stalls, source.isReleased, clock.pending]).toEqual([1, true, 0]);
    await expect(reader.read()).rejects.toThrow("Nothing of the answer was read for 16000 ms.");
  });

  test("has no limit while its source makes the next piece, and no timer after it was left", async () => {
    let goOn: () => void = () => undefined;
    async function* waiting() {
      yield "a";
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      yield "b";
    }
    const { response, clock, state } = limited(waiting());
    const reader = response.body?.getReader() ?? expect.fail();
    await reader.read();
    const next = reader.read();
    await new Promise(setImmediate);
    clock.advance(120_000);
    goOn();
    expect([Buffer.from((await next).value ?? []).toString(), state.stalls]).toEqual(["b", 0]);
    await reader.cancel();
    expect(clock.pending).toBe(0);
  });
});
