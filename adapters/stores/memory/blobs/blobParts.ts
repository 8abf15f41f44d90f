import { randomBytes, randomUUID } from "node:crypto";
import type { BlobListing, BlobStat, ByteRange } from "../../../../src/ground/storage/files/blobs.js";
import type { Clock } from "../records/records.js";

/** A complete blob. */
interface Blob {
  readonly bytes: Buffer;
  readonly stat: BlobStat;
}

/** Bytes of an incomplete blob. */
export interface Part {
  readonly id: string;
  readonly key: string;
  readonly contentType: string | undefined;
  chunks: Buffer[];
  size: number;
  writtenMs: number;
}

/** The state of a blob store. */
export interface Blobs {
  readonly clock: Clock;
  readonly whole: Map<string, Blob>;
  /** By their ids. */
  readonly parts: Map<string, Part>;
}

const chunkBytes = 65_536;

/** An empty part, which is not yet in the store. */
export function newPart({ clock }: Blobs, key: string, contentType: string | undefined): Part {
  return { id: randomUUID(), key, contentType, chunks: [], size: 0, writtenMs: clock.now() };
}

/** Appends a copy of the chunk. */
export function addTo(part: Part, chunk: Uint8Array, { clock }: Blobs): void {
  part.chunks.push(Buffer.from(chunk));
  part.size += chunk.length;
  part.writtenMs = clock.now();
}

/** Creates a blob from the first bytes of a part; replaces a blob with the same key. */
export function makeWhole({ clock, whole }: Blobs, { key, contentType, chunks }: Part, size: number): BlobStat {
  const bytes = Buffer.concat(chunks).subarray(0, size);
  const stat = { size, contentType, etag: randomBytes(16).toString("base64url"), lastModified: new Date(clock.now()) };
  whole.set(key, { bytes, stat });
  return stat;
}

/** Removes all parts of a key. @returns whether there were any */
export function removeParts({ parts }: Blobs, key: string): boolean {
  const removed = [...parts.values()].filter((part) => part.key === key);
  for (const { id } of removed) parts.delete(id);
  return removed.length > 0;
}

/** Yields copies, so that a reader may change its chunks. */
export async function* chunksOf(bytes: Buffer, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += chunkBytes) yield Buffer.from(bytes.subarray(at, Math.min(at + chunkBytes, end)));
}

/** The listing of this moment: changes during a slow iteration do not affect it. */
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
