import { expect, test } from "vitest";
import { markOwn, releaseChunk, unmarkOwn } from "../../../src/ground/http/body/ownChunks.js";

test("a marked chunk is empty after its release, and so is each view of its memory", () => {
  const chunk = new Uint8Array(65_536).fill(7);
  const view = Buffer.from(chunk.buffer, 100, 200);
  markOwn(chunk);
  releaseChunk(view);
  expect([chunk.length, view.length, chunk.buffer.byteLength]).toEqual([0, 0, 0]);
  releaseChunk(view);
});

test("a chunk keeps its bytes if it is not marked, not marked any more, or has a part of its memory only", () => {
  const unmarked = new Uint8Array(100).fill(7);
  const marked = new Uint8Array(100).fill(7);
  const part = new Uint8Array(new ArrayBuffer(200), 0, 100).fill(7);
  markOwn(marked);
  unmarkOwn(marked.subarray(50));
  markOwn(part);
  for (const chunk of [unmarked, marked, part]) {
    releaseChunk(chunk);
    expect(chunk).toEqual(new Uint8Array(100).fill(7));
  }
});

test("memory that cannot be transferred keeps its bytes, without an error", () => {
  for (const chunk of [new Uint8Array(new SharedArrayBuffer(100)), new Uint8Array(Buffer.from("abc").buffer)]) {
    const { length } = chunk;
    markOwn(chunk);
    releaseChunk(chunk);
    expect(chunk.length).toBe(length);
  }
});
