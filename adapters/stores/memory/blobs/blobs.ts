import { clock as clockSchema, optionsCheck, strict } from "../../../../src/ground/options/index.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { checkBlobKey } from "../../../../src/ground/storage/files/blobKey.js";
import type { BlobStore, BlobWriter } from "../../../../src/ground/storage/files/blobs.js";
import { clampRange } from "../../../../src/ground/storage/files/clampRange.js";
import { type Clock, systemClock } from "../records/records.js";
import { memoryDrafts } from "./blobDrafts.js";
import { addTo, type Blobs, chunksOf, listingsOf, makeWhole, newPart, removeParts } from "./blobParts.js";

/** Options of `memoryBlobs`. */
export interface MemoryBlobsOptions {
  /** Tells the time. Defaults to the clock of the system. */
  readonly clock?: Clock | undefined;
}

const check = /* @__PURE__ */ optionsCheck("memoryBlobs", () => strict<MemoryBlobsOptions>({ clock: clockSchema() }));

/**
 * Blobs in the memory of this process, for tests and demos. They are lost when the process ends, and other processes do not see them.
 *
 * @example
 * const blobs = memoryBlobs();
 * const writer = await blobs.open("greeting", { contentType: "text/plain" });
 * await writer.write(Buffer.from("hello"));
 * await writer.commit(); // { size: 5, contentType: "text/plain", … }
 */
export function memoryBlobs(options: MemoryBlobsOptions = {}): BlobStore {
  check(options);
  const { clock = systemClock } = options;
  const blobs: Blobs = { clock, whole: new Map(), parts: new Map() };
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
      const hadParts = removeParts(blobs, key);
      return blobs.whole.delete(key) || hadParts;
    },
    list: async function* (prefix, { before }) {
      for (const listing of listingsOf(blobs)) if (listing.key.startsWith(prefix) && listing.lastModified < before) yield listing;
    },
    drafts: memoryDrafts(blobs),
  };
}

function writerOf(blobs: Blobs, key: string, contentType: string | undefined): BlobWriter {
  const part = newPart(blobs, key, contentType);
  blobs.parts.set(part.id, part);
  const requireOpen = () => {
    if (!blobs.parts.has(part.id)) throw new Unavailable(`The blob "${key}" was deleted or ended while it was written. Write it again.`);
  };
  return {
    async write(chunk) {
      requireOpen();
      addTo(part, chunk, blobs);
    },
    async commit() {
      requireOpen();
      blobs.parts.delete(part.id);
      return makeWhole(blobs, part, part.size);
    },
    async abort() {
      blobs.parts.delete(part.id);
    },
  };
}
