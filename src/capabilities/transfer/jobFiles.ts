import type { BlobStore } from "../../ground/storage/files/blobs.js";

/** The kinds of jobs that have a file. */
export type FileKind = "export" | "import";

/**
 * The blob key of a job's file: the kind, the id in base64url (an id may contain characters that a key may not), and a number.
 *
 * @param id at most 72 bytes, the longest that fits into a key
 * @param number of an export: the lease's fence, so that a worker that lost its lease does not overwrite the file of its successor. Of an import: random,
 *   because two requests with one idempotency key may send different files
 */
export function fileKey(kind: FileKind, id: string, number: number): string {
  return `${fileKeys(kind, id)}${number}`;
}

/** The prefix of the keys of all files of a job. */
export function fileKeys(kind: FileKind, id: string): string {
  return `${kind}_${Buffer.from(id).toString("base64url")}_`;
}

/** The id of the job that a file belongs to, from the file's key. */
export function jobIdOf(kind: FileKind, key: string): string {
  return Buffer.from(key.slice(kind.length + 1, key.lastIndexOf("_")), "base64url").toString();
}

/** Later than any time of a store's clock. */
const always = new Date(8_640_000_000_000_000);

/** Removes all files of a job, complete or not. */
export async function removeFiles(blobs: BlobStore, kind: FileKind, id: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(fileKeys(kind, id), { before: always })) keys.push(key);
  for (const key of keys) await blobs.delete(key);
}
