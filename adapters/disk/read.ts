import { type FileHandle, open } from "node:fs/promises";
import type { BlobStat, ByteRange } from "../../src/storage/blobs.js";
import { Unavailable } from "../../src/storage/errors.js";
import { ifThere, onDisk } from "./errors.js";
import type { Place } from "./place.js";
import { readTrailer } from "./trailer.js";

const chunkBytes = 65_536;

/**
 * What a whole blob says of itself; `undefined` where there is none.
 *
 * @throws {Unavailable} also for a file that was damaged
 */
export async function statBlob({ key, file }: Place): Promise<BlobStat | undefined> {
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
 * The bytes of a range that lies within the blob. The file is opened for the first chunk and not before, so that bytes which nobody comes to read hold nothing
 * open; from then on it may be deleted.
 *
 * @param etag of the bytes that are meant
 * @throws {Unavailable} where they are gone before the first chunk
 */
export function readBlob({ key, file }: Place, etag: string, range: ByteRange): AsyncGenerator<Uint8Array> {
  return readFile(file, key, range, async (handle) => (await readTrailer(handle))?.etag === etag);
}

/** The same of a file that is no blob yet. */
export function readPart(part: string, { key }: Place, size: number, range: ByteRange): AsyncGenerator<Uint8Array> {
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
