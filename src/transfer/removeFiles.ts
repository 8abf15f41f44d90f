import type { BlobStore } from "../storage/blobs.js";
import { type FileKind, fileKeys } from "./fileKey.js";

/** Later than any clock of a store. */
const always = new Date(8_640_000_000_000_000);

/** Removes all files of a job, whole or not. */
export async function removeFiles(blobs: BlobStore, kind: FileKind, id: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(fileKeys(kind, id), { before: always })) keys.push(key);
  for (const key of keys) await blobs.delete(key);
}
