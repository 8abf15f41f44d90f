// @slow

import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs } from "restwright/memory";
import { afterAll, expect, test } from "vitest";
import { followedBytes, HashedBlobWriter } from "../../../src/capabilities/uploads/hashedBlob.js";
import type { BlobStore, BlobWriter } from "../../../src/ground/storage/files/blobs.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-hashed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A store that tells which methods of its writers are called, and whose thread gives `hash`. */
function following(hash: () => Promise<string | undefined>): { readonly blobs: BlobStore; readonly calls: string[] } {
  const sound = memoryBlobs();
  const calls: string[] = [];
  const open = async (key: string): Promise<BlobWriter> => {
    const writer = await sound.open(key);
    const follow = () => void calls.push("follow");
    return { ...writer, follow, sha256: () => (calls.push("sha256"), hash()) };
  };
  return { blobs: { ...sound, open }, calls };
}

async function write(blobs: BlobStore, bytes: Uint8Array) {
  const writer = await HashedBlobWriter.open(blobs, "a");
  for (let at = 0; at < bytes.length; at += 65_536) await writer.write(bytes.subarray(at, at + 65_536));
  return writer.commit();
}

test("a file of up to a mebibyte is hashed as it arrives, and the store is not asked", async () => {
  const { blobs, calls } = following(async () => "wrong");
  for (const size of [0, 4_096, followedBytes]) {
    const bytes = randomBytes(size);
    expect(await write(blobs, bytes)).toEqual({ size, sha256: sha256(bytes) });
  }
  expect(calls).toEqual([]);
});

test("a larger file is followed from then on, and has the hash of the store", async () => {
  const { blobs, calls } = following(async () => "of the store");
  expect(await write(blobs, randomBytes(3 * followedBytes))).toEqual({ size: 3 * followedBytes, sha256: "of the store" });
  expect(calls).toEqual(["follow", "sha256"]);
});

test.each<[string, () => Promise<string | undefined>]>([
  ["cannot compute", async () => undefined],
  ["fails to compute", () => Promise.reject(new Error("The thread has died."))],
])("a hash that the store %s is that of the committed bytes", async (_, hash) => {
  const bytes = randomBytes(followedBytes + 1);
  expect(await write(following(hash).blobs, bytes)).toEqual({ size: bytes.length, sha256: sha256(bytes) });
});

test("a store without a thread has the hash of the bytes that arrived", async () => {
  const bytes = randomBytes(followedBytes + 1);
  expect(await write(memoryBlobs(), bytes)).toEqual({ size: bytes.length, sha256: sha256(bytes) });
});

test("files on disk have their hashes, written one beside the other", async () => {
  const blobs = diskBlobs({ path: folder });
  const files = Array.from({ length: 6 }, (_, index) => randomBytes(index * 5_000_001 + 10));
  const written = await Promise.all(
    files.map(async (bytes, index) => {
      const writer = await HashedBlobWriter.open(blobs, `file-${index}`);
      for (let at = 0; at < bytes.length; at += 65_536) await writer.write(bytes.subarray(at, at + 65_536));
      return writer.commit();
    }),
  );
  expect(written.map((each) => each.sha256)).toEqual(files.map(sha256));
});
