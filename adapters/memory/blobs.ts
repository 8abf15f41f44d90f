import { randomBytes } from "node:crypto";
import { checkBlobKey } from "../../src/storage/blobKey.js";
import type { BlobListing, BlobStat, BlobStore, BlobWriter, ByteRange } from "../../src/storage/blobs.js";
import { clampRange } from "../../src/storage/clampRange.js";
import { Unavailable } from "../../src/storage/errors.js";
import { type Clock, systemClock } from "./records.js";

/** A blob that is whole. */
interface Blob {
  readonly bytes: Buffer;
  readonly stat: BlobStat;
}

/** A blob that is being written. */
interface Draft {
  readonly key: string;
  readonly chunks: Buffer[];
  size: number;
  writtenMs: number;
}

interface Blobs {
  readonly clock: Clock;
  readonly whole: Map<string, Blob>;
  readonly drafts: Set<Draft>;
}

const chunkBytes = 65_536;

/**
 * Blobs in the memory of this process, for tests and demos: gone with the process, and seen by no other.
 *
 * @example
 * const blobs = memoryBlobs();
 * const writer = await blobs.open("greeting", { contentType: "text/plain" });
 * await writer.write(Buffer.from("hello"));
 * await writer.commit(); // { size: 5, contentType: "text/plain", … }
 */
export function memoryBlobs({ clock = systemClock }: { readonly clock?: Clock | undefined } = {}): BlobStore {
  const blobs: Blobs = { clock, whole: new Map(), drafts: new Set() };
  return {
    name: "memory",
    open: async (key, { contentType } = {}) => {
      checkBlobKey(key);
      return writerOf(blobs, key, contentType);
    },
    stat: async (key) => {
      checkBlobKey(key);
      return blobs.whole.get(key)?.stat;
    },
    read: async (key, range) => {
      checkBlobKey(key);
      const blob = blobs.whole.get(key);
      return blob && chunksOf(blob.bytes, clampRange(range, blob.bytes.length));
    },
    delete: async (key) => {
      checkBlobKey(key);
      const drafts = [...blobs.drafts].filter((draft) => draft.key === key);
      for (const draft of drafts) blobs.drafts.delete(draft);
      return blobs.whole.delete(key) || drafts.length > 0;
    },
    list: async function* (prefix, { before }) {
      for (const listing of listingsOf(blobs)) if (listing.key.startsWith(prefix) && listing.lastModified < before) yield listing;
    },
  };
}

function writerOf({ clock, whole, drafts }: Blobs, key: string, contentType: string | undefined): BlobWriter {
  const draft: Draft = { key, chunks: [], size: 0, writtenMs: clock.now() };
  drafts.add(draft);
  const requireOpen = () => {
    if (!drafts.has(draft)) throw new Unavailable(`The blob "${key}" was deleted or ended while it was written. Begin it again.`);
  };
  return {
    async write(chunk) {
      requireOpen();
      draft.chunks.push(Buffer.from(chunk));
      draft.size += chunk.length;
      draft.writtenMs = clock.now();
    },
    async commit() {
      requireOpen();
      drafts.delete(draft);
      const bytes = Buffer.concat(draft.chunks);
      const stat = { size: bytes.length, contentType, etag: randomBytes(16).toString("base64url"), lastModified: new Date(clock.now()) };
      whole.set(key, { bytes, stat });
      return stat;
    },
    async abort() {
      drafts.delete(draft);
    },
  };
}

/** Copies: what a reader does with its chunks is its own affair. */
async function* chunksOf(bytes: Buffer, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += chunkBytes) yield Buffer.from(bytes.subarray(at, Math.min(at + chunkBytes, end)));
}

/** As it is at this moment: the listing may take its time. */
function listingsOf({ whole, drafts }: Blobs): Iterable<BlobListing> {
  const listings = new Map<string, BlobListing>();
  for (const { key, size, writtenMs } of drafts) {
    const other = listings.get(key);
    const lastModified = new Date(Math.max(writtenMs, other?.lastModified.getTime() ?? 0));
    listings.set(key, { key, size: size + (other?.size ?? 0), lastModified, complete: false });
  }
  for (const [key, { stat }] of whole) listings.set(key, { key, size: stat.size, lastModified: stat.lastModified, complete: true });
  return listings.values();
}
