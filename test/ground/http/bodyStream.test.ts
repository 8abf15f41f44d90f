import { describe, expect, test } from "vitest";
import { bodyChunks } from "../../../src/ground/http/body/bodyStream.js";
import type { RequestBody } from "../../../src/ground/http/message.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { FakeClock } from "../../../src/testing/clock.js";

const options = (changes: { announced?: string; signal?: AbortSignal; limitBytes?: number } = {}) => ({
  ...{ limitBytes: 100, stallMs: 30_000, bytesPerSecond: 0, timers: new FakeClock() },
  tooLarge: () => new ProblemError("PAYLOAD_TOO_LARGE", "It is too large."),
  ...changes,
});

/** A body of some chunks that then ends, or stays silent. */
class Arriving {
  isReleased = false;
  readonly #texts: string[];
  readonly #isSilent: boolean;

  constructor(texts: readonly string[], isSilent = false) {
    this.#texts = [...texts];
    this.#isSilent = isSilent;
  }

  get body(): RequestBody {
    return { kind: "stream", stream: { [Symbol.asyncIterator]: () => this } };
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const text = this.#texts.shift();
    if (text !== undefined) return { done: false, value: Buffer.from(text) };
    return this.#isSilent ? new Promise(() => undefined) : { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.isReleased = true;
    return { done: true, value: undefined };
  }
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

describe("the chunks of a body", () => {
  test.each<[string, RequestBody, string]>([
    ["a stream", new Arriving(["ab", "c"]).body, "abc"],
    ["bytes", { kind: "bytes", bytes: Buffer.from("abc") }, "abc"],
    ["a parsed value", { kind: "parsed", value: { a: 1 } }, '{"a":1}'],
    ["nothing", { kind: "none" }, ""],
  ])("are those of %s", async (_, body, text) => {
    expect(await read(bodyChunks({ body }, options()))).toBe(text);
  });

  test.each<[string, RequestBody]>([
    ["a stream", new Arriving(["ab", "c"]).body],
    ["bytes", { kind: "bytes", bytes: Buffer.from("abc") }],
  ])("of %s may be as many as announced, and no others", async (_, body) => {
    await expect(read(bodyChunks({ body }, options({ announced: "4" })))).rejects.toMatchObject({
      code: "INTERNAL",
      message: expect.stringContaining("3 bytes arrived, but 4 were announced"),
    });
  });

  test("as announced are no error", async () => {
    expect(await read(bodyChunks({ body: new Arriving(["abc"]).body }, options({ announced: "3" })))).toBe("abc");
  });

  test("over the limit are refused, and the body is released", async () => {
    const arriving = new Arriving(["abc", "def"], true);
    await expect(read(bodyChunks({ body: arriving.body }, options({ limitBytes: 5 })))).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    expect(arriving.isReleased).toBe(true);
  });

  test("end at once when the signal aborts, although no chunk comes", async () => {
    const controller = new AbortController();
    const arriving = new Arriving(["abc"], true);
    const chunks = bodyChunks({ body: arriving.body }, options({ signal: controller.signal }));
    await chunks.next();
    const waiting = chunks.next();
    controller.abort(new Error("It is wanted."));
    await expect(waiting).rejects.toThrow("It is wanted.");
    expect(arriving.isReleased).toBe(true);
  });

  test("fail with the reason of a signal that aborted while no chunk was waited for, and are no whole body", async () => {
    const controller = new AbortController();
    const arriving = new Arriving(["abc"], true);
    const chunks = bodyChunks({ body: arriving.body }, options({ signal: controller.signal }));
    await chunks.next();
    controller.abort(new Error("It is wanted."));
    expect(arriving.isReleased).toBe(true);
    await expect(chunks.next()).rejects.toThrow("It is wanted.");
  });

  test("that nobody reads any more release the body without waiting for a chunk, and stop their timer", async () => {
    const arriving = new Arriving(["abc"], true);
    const settings = options();
    const chunks = bodyChunks({ body: arriving.body }, settings);
    await chunks.next();
    void chunks.next();
    await chunks.return?.();
    expect(arriving.isReleased).toBe(true);
    expect(settings.timers.pending).toBe(0);
  });
});
