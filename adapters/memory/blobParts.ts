import { randomBytes, randomUUID } from "node:crypto";
import type { BlobListing, BlobStat, ByteRange } from "../../src/storage/blobs.js";
import type { Clock } from "./records.js";

/** A blob that is whole. */
interface Blob {
  readonly bytes: Buffer;
  readonly stat: BlobStat;
}

/** Bytes that are no blob yet. */
export interface Part {
  readonly id: string;
  readonly key: string;
  readonly contentType: string | undefined;
  chunks: Buffer[];
  size: number;
  writtenMs: number;
}

/** All that a store has. */
export interface Blobs {
  readonly clock: Clock;
  readonly whole: Map<string, Blob>;
  /** By their ids. */
  readonly parts: Map<string, Part>;
}

const chunkBytes = 65_536;

/** A part with nothing in it, which the store has not yet. */
export function newPart({ clock }: Blobs, key: string, contentType: string | undefined): Part {
  return { id: randomUUID(), key, contentType, chunks: [], size: 0, writtenMs: clock.now() };
}

/** Adds a copy. */
export function addTo(part: Part, chunk: Uint8Array, { clock }: Blobs): void {
  part.chunks.push(Buffer.from(chunk));
  part.size += chunk.length;
  part.writtenMs = clock.now();
}

/** Makes the first bytes of a part a blob, in place of one that had its key. */
export function makeWhole({ clock, whole }: Blobs, { key, contentType, chunks }: Part, size: number): BlobStat {
  const bytes = Buffer.concat(chunks).subarray(0, size);
  const stat = { size, contentType, etag: randomBytes(16).toString("base64url"), lastModified: new Date(clock.now()) };
  whole.set(key, { bytes, stat });
  return stat;
}

/** Whether there were any. */
export function removeParts({ parts }: Blobs, key: string): boolean {
  const removed = [...parts.values()].filter((part) => part.key === key);
  for (const { id } of removed) parts.delete(id);
  return removed.length > 0;
}

/** Copies: what a reader does with its chunks is its own affair. */
export async function* chunksOf(bytes: Buffer, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += chunkBytes) yield Buffer.from(bytes.subarray(at, Math.min(at + chunkBytes, end)));
}

/** As it is at this moment: the listing may take its time. */
export function listingsOf({ whole, parts }: Blobs): Iterable<BlobListing> {
  const listings = new Map<string, BlobListing>();
  for (const { key, size, writtenMs } of parts.values()) {
    const other = listings.get(key);
    const lastModified = new Date(Math.max(writtenMs, other?.lastModified.getTime() ?? 0));
    listings.set(key, { key, size: size + (other?.size ?? 0), lastModified, complete: false });
  }
  for (const [key, { stat }] of whole) listings.set(key, { key, size: stat.size, lastModified: stat.lastModified, complete: true });
  return listings.values();
}
