// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkSealer, chunkBytes, createDataKey, sealedLength, sealedPart } from "../../../src/ground/secrets/sealedChunks.js";

const tagBytes = 16;

/** Bytes that differ from chunk to chunk. */
const plainOf = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + Math.floor(index / chunkBytes)) % 256));

function sealed(key: Uint8Array, plain: Uint8Array, pieceBytes = plain.length): Buffer {
  const sealer = new ChunkSealer(key);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < plain.length; start += pieceBytes) chunks.push(...sealer.add(plain.subarray(start, start + pieceBytes)));
  return Buffer.concat([...chunks, sealer.end()]);
}

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
}

/** Reads a part as a blob store does. */
async function read(key: Uint8Array, bytes: Uint8Array, plainBytes: number, part: { start: number; end: number }, pieceBytes = 65_536) {
  const { range, open } = sealedPart(key, plainBytes, part);
  const found: Uint8Array[] = [];
  for await (const chunk of open(inPieces(bytes.subarray(range.start, range.end), pieceBytes))) found.push(Buffer.from(chunk));
  return Buffer.concat(found);
}

const unreadable = { name: "SecretBoxError", code: "UNREADABLE" };

describe("a text that is sealed in chunks", () => {
  test.each([0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, 3 * chunkBytes + 7])("has its bytes again: %i", async (length) => {
    const key = createDataKey();
    const plain = plainOf(length);
    const bytes = sealed(key, plain, 10_000);
    const found = await read(key, bytes, length, { start: 0, end: length });
    expect([bytes.length, found.equals(plain), bytes.equals(sealed(key, plain))]).toEqual([sealedLength(length), true, true]);
  });

  test("gives every range, whatever the pieces in which it is written and read", async () => {
    const position = fc.nat({ max: 4 * chunkBytes + 10 });
    const piece = fc.integer({ min: 1_000, max: 200_000 });
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 4 * chunkBytes }), position, position, piece, piece, async (length, from, to, written, asked) => {
        const key = createDataKey();
        const plain = plainOf(length);
        const [start, end] = from < to ? [from, to] : [to, from];
        const found = await read(key, sealed(key, plain, written), length, { start, end }, asked);
        expect(found.equals(plain.subarray(start, end))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("does not contain the text", () => {
    const text = "hunter2 ".repeat(20_000);
    expect(sealed(createDataKey(), Buffer.from(text)).includes("hunter2")).toBe(false);
  });

  test("cannot be opened if any byte was changed", async () => {
    const key = createDataKey();
    const plain = plainOf(2 * chunkBytes + 5);
    const bytes = sealed(key, plain);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        await expect(read(key, changed, plain.length, { start: 0, end: plain.length })).rejects.toMatchObject(unreadable);
      }),
      { numRuns: 30 },
    );
  });

  test("returns nothing of a changed chunk, and everything of those before", async () => {
    const key = createDataKey();
    const plain = plainOf(3 * chunkBytes);
    const bytes = sealed(key, plain);
    bytes[chunkBytes + tagBytes + 100] = (bytes[chunkBytes + tagBytes + 100] ?? 0) ^ 1;
    const { open } = sealedPart(key, plain.length, { start: 0, end: plain.length });
    let length = 0;
    const reading = async () => {
      for await (const chunk of open(inPieces(bytes, 65_536))) length += chunk.length;
    };
    await expect(reading()).rejects.toMatchObject(unreadable);
    expect(length).toBe(chunkBytes);
  });

  test.each([
    ["is cut off between two chunks", (bytes: Buffer) => bytes.subarray(0, 2 * (chunkBytes + tagBytes))],
    ["is cut off within a chunk", (bytes: Buffer) => bytes.subarray(0, -1)],
    ["is empty", () => Buffer.alloc(0)],
    ["has two chunks in another order", (bytes: Buffer) => swapped(bytes)],
  ])("cannot be opened if it %s", async (_what, change) => {
    const key = createDataKey();
    const plain = plainOf(3 * chunkBytes);
    const bytes = change(sealed(key, plain));
    await expect(read(key, bytes, plain.length, { start: 0, end: plain.length })).rejects.toMatchObject(unreadable);
  });

  test("cannot be cut off even if its length is believed to be shorter", async () => {
    const key = createDataKey();
    const plain = plainOf(3 * chunkBytes);
    const bytes = sealed(key, plain).subarray(0, 2 * (chunkBytes + tagBytes));
    await expect(read(key, bytes, 2 * chunkBytes, { start: 0, end: 2 * chunkBytes })).rejects.toMatchObject(unreadable);
  });

  test("cannot be opened with another key", async () => {
    const plain = plainOf(10);
    const bytes = sealed(createDataKey(), plain);
    await expect(read(createDataKey(), bytes, 10, { start: 0, end: 10 })).rejects.toMatchObject(unreadable);
  });
});

function swapped(bytes: Buffer): Buffer {
  const size = chunkBytes + tagBytes;
  return Buffer.concat([bytes.subarray(size, 2 * size), bytes.subarray(0, size), bytes.subarray(2 * size)]);
}
