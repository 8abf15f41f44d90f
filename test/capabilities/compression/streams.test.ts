import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from "node:zlib";
import { type Coding, codedStream, coderOf, supportedCodings } from "restwright/compression";
import { describe, expect, test } from "vitest";
import { decoded } from "./decoded.js";

const row = (index: number) => `{"id":${index},"name":"user ${index}","status":"active"}\n`;

async function all(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe.each(supportedCodings)("%s", (coding: Coding) => {
  test("what comes out is what went in", async () => {
    async function* rows() {
      for (let index = 0; index < 2_000; index++) yield row(index).repeat(20);
    }
    const bytes = await all(codedStream(rows(), coderOf(coding)));
    expect(decoded(bytes, coding).toString()).toBe(Array.from({ length: 2_000 }, (_, index) => row(index).repeat(20)).join(""));
  });

  test("an empty stream is a valid coded body", async () => {
    async function* none(): AsyncGenerator<string> {}
    expect(decoded(await all(codedStream(none(), coderOf(coding))), coding).length).toBe(0);
  });

  test("a source that fails ends the stream with its error", async () => {
    async function* rows() {
      yield row(1);
      throw new Error("the database is gone");
    }
    await expect(all(codedStream(rows(), coderOf(coding)))).rejects.toThrow("the database is gone");
  });

  test("ending the iteration ends the source, before it began and while it runs", async () => {
    for (const reads of [0, 1]) {
      let ended = 0;
      const source: AsyncIterableIterator<string> = {
        next: () => Promise.resolve({ done: false, value: row(1).repeat(2_000) }),
        return: () => {
          ended += 1;
          return Promise.resolve({ done: true, value: undefined });
        },
        [Symbol.asyncIterator]: () => source,
      };
      const stream = codedStream(source, coderOf(coding));
      for (let index = 0; index < reads; index++) await stream.next();
      await stream.return?.();
      expect(ended).toBe(1);
    }
  });

  test("a source is read no faster than its consumer", async () => {
    let asked = 0;
    async function* rows() {
      for (;;) {
        asked += 1;
        // Other bytes each time: what repeats is compressed to nothing, and would not fill the buffers.
        yield randomBytes(65_536);
      }
    }
    const stream = codedStream(rows(), coderOf(coding));
    await stream.next();
    await delay(50);
    expect(asked).toBeLessThan(32);
    await stream.return?.();
  });
});

test.each([
  ["gzip", () => createGunzip()],
  ["br", () => createBrotliDecompress()],
] as const)("rows of a slow source arrive at once in %s", async (coding, decoder) => {
  const seen: string[] = [];
  let resume: () => void = () => undefined;
  async function* rows() {
    for (let index = 0; index < 3; index++) {
      yield row(index);
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  }
  const plain = decoder();
  plain.on("data", (chunk: Buffer) => seen.push(chunk.toString()));
  const pumping = (async () => {
    for await (const piece of codedStream(rows(), coderOf(coding))) plain.write(piece);
    plain.end();
  })();
  for (let index = 0; index < 3; index++) {
    await expect.poll(() => seen.join("")).toBe(Array.from({ length: index + 1 }, (_, each) => row(each)).join(""));
    resume();
  }
  await pumping;
});

test("a fast source is not flushed: many small rows cost what they cost at once", async () => {
  const many = Array.from({ length: 5_000 }, (_, index) => row(index));
  async function* rows() {
    yield* many;
  }
  for (const [coding, decode] of [
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    const streamed = await all(codedStream(rows(), coderOf(coding)));
    expect(decode(streamed).length).toBe(many.join("").length);
    expect(streamed.length).toBeLessThan(coderOf(coding).compress(Buffer.from(many.join(""))).length * 1.2);
  }
});
