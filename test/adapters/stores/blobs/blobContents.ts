import type { BlobStore } from "restwright";
import { joined } from "../../../../src/testing/blobs/bytes.js";

/** Keys of all blobs, whole or not. */
export async function keysOf(blobs: BlobStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list("", { before: new Date(8e15) })) keys.push(key);
  return keys;
}

/** All bytes of a blob; none where there is no such blob. */
export async function bytesOf(blobs: BlobStore, key: string): Promise<Buffer> {
  const bytes = await blobs.read(key);
  return bytes === undefined ? Buffer.alloc(0) : joined(bytes);
}
