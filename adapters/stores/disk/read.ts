import { type FileHandle, open } from "node:fs/promises";
import { Unavailable } from "../../../src/ground/storage/errors.js";
import type { BlobStat, ByteRange } from "../../../src/ground/storage/files/blobs.js";
import type { BlobPaths } from "./blobPaths.js";
import { ifThere, onDisk } from "./errors.js";
import { readTrailer } from "./trailer.js";

const chunkBytes = 65_536;

/**
 * The metadata of a whole blob; `undefined` if there is none.
 *
 * @throws {Unavailable} also for a damaged file
 */
export async function statBlob({ key, file }: BlobPaths): Promise<BlobStat | undefined> {
  const handle = await onDisk(ifThere(open(file, "r")));
  if (handle === undefined) return undefined;
  try {
    const stat = await readTrailer(handle);
    if (stat === undefined) throw new Unavailable(`The file of the blob "${key}" is damaged. Restore it from a backup, or delete the blob.`);
    return stat;
  } finally {
    await onDisk(handle.close());
  }
}

/**
 * The bytes of a range of the blob. The file is opened when the first chunk is read, so that a response that nobody reads keeps no file
 * open. From then on the blob may be deleted.
 *
 * @param etag the expected tag of the bytes
 * @throws {Unavailable} if the bytes are gone before the first chunk
 */
export function readBlob({ key, file }: BlobPaths, etag: string, range: ByteRange): AsyncGenerator<Uint8Array> {
  return readFile(file, key, range, async (handle) => (await readTrailer(handle))?.etag === etag);
}

/** The same for a file that is not a blob yet. */
export function readPart(part: string, { key }: BlobPaths, size: number, range: ByteRange): AsyncGenerator<Uint8Array> {
  return readFile(part, key, range, async (handle) => (await onDisk(handle.stat())).size >= size);
}

async function* readFile(
  file: string,
  key: string,
  { start, end }: ByteRange,
  isMeant: (handle: FileHandle) => Promise<boolean>,
): AsyncGenerator<Uint8Array> {
  if (start >= end) return;
  const handle = await onDisk(ifThere(open(file, "r")));
  try {
    if (handle === undefined || !(await isMeant(handle))) throw new Unavailable(`The blob "${key}" was removed before it was read.`);
    for (let position = start; position < end; ) {
      const length = Math.min(chunkBytes, end - position);
      const { bytesRead, buffer } = await onDisk(handle.read(Buffer.allocUnsafe(length), 0, length, position));
      if (bytesRead === 0) throw new Unavailable(`The file of the blob "${key}" was cut off while it was read.`);
      yield bytesRead === length ? buffer : buffer.subarray(0, bytesRead);
      position += bytesRead;
    }
  } finally {
    if (handle !== undefined) await onDisk(handle.close());
  }
}
