import type { BlobStore } from "../storage/blobs.js";
import { exportKeys } from "./fileKey.js";

/** Later than any clock of a store. */
const always = new Date(8_640_000_000_000_000);

/** Removes the files of all tries of an export, whole or not. */
export async function removeFiles(blobs: BlobStore, id: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(exportKeys(id), { before: always })) keys.push(key);
  for (const key of keys) await blobs.delete(key);
}
