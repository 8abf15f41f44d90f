import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

/** Concatenates all chunks. */
export async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** Asserts equal bytes, without printing a million bytes if they differ. */
export function assertSameBytes(actual: Uint8Array, expected: Uint8Array, what = "the blob"): void {
  assert.equal(actual.length, expected.length, `the length of ${what}`);
  assert.ok(Buffer.compare(actual, expected) === 0, `the bytes of ${what} have changed`);
}

/** Bytes of one value, so that a mix of two writers is visible. */
export function uniform(value: number, length: number): Buffer {
  return Buffer.alloc(length, value);
}

/** Splits bytes into chunks, cycling through these lengths. */
export function cut(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? 1);
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

export function random(length: number): Buffer {
  return randomBytes(length);
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}
