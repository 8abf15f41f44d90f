import type { FileHandle } from "node:fs/promises";
import type { BlobStat } from "../../../src/ground/storage/files/blobs.js";
import { onDisk } from "./errors.js";

/** The metadata after the bytes of a blob, in the same file: one rename makes both visible, and they cannot get mixed up with another blob. */
type Trailer = Pick<BlobStat, "size" | "contentType" | "etag">;

const mark = " restwright blob 1\n";
const lengthDigits = 10;
/** The last line: the length of the JSON before it, and the marker. */
const lastLineBytes = lengthDigits + mark.length;
/** Bytes that are read first; few media types are longer. */
const usualBytes = 512;

/** The bytes at the end of a blob's file. */
export function formatTrailer(trailer: Trailer): Buffer {
  const text = Buffer.from(JSON.stringify(trailer));
  return Buffer.concat([text, Buffer.from(String(text.length).padStart(lengthDigits, "0") + mark)]);
}

/**
 * The metadata of the blob in an open file; `undefined` if the file does not end like a blob, or bytes are missing.
 *
 * @throws {Unavailable}
 */
export async function readTrailer(handle: FileHandle): Promise<BlobStat | undefined> {
  const { size: fileBytes, mtimeMs } = await onDisk(handle.stat());
  let end = await readEnd(handle, fileBytes, usualBytes);
  const textBytes = textBytesOf(end);
  if (textBytes === undefined) return undefined;
  const trailerBytes = textBytes + lastLineBytes;
  if (trailerBytes > end.length) end = await readEnd(handle, fileBytes, trailerBytes);
  const trailer = parse(end.subarray(-trailerBytes, -lastLineBytes).toString());
  if (trailer === undefined || trailer.size + trailerBytes !== fileBytes) return undefined;
  return { ...trailer, lastModified: new Date(Math.floor(mtimeMs)) };
}

async function readEnd(handle: FileHandle, fileBytes: number, atMost: number): Promise<Buffer> {
  const length = Math.min(fileBytes, atMost);
  const { bytesRead, buffer } = await onDisk(handle.read(Buffer.allocUnsafe(length), 0, length, fileBytes - length));
  return buffer.subarray(0, bytesRead);
}

function textBytesOf(end: Buffer): number | undefined {
  const line = end.subarray(-lastLineBytes).toString("latin1");
  const digits = line.slice(0, lengthDigits);
  return /^\d{10}$/.test(digits) && line.slice(lengthDigits) === mark ? Number(digits) : undefined;
}

function parse(text: string): Trailer | undefined {
  try {
    const { size, contentType, etag } = JSON.parse(text);
    return { size, contentType, etag };
  } catch {
    return undefined;
  }
}
