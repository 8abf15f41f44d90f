import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { checkBlobKey } from "../../../../src/ground/storage/files/blobKey.js";
import type { BlobDrafts, Draft, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { clampRange } from "../../../../src/ground/storage/files/clampRange.js";
import { addTo, type Blobs, chunksOf, makeWhole, newPart, type Part, removeParts } from "./blobParts.js";

/** Drafts in memory. The state of a draft is the id of its part. */
export function memoryDrafts(blobs: Blobs): BlobDrafts {
  return {
    async begin(key, { contentType } = {}) {
      checkBlobKey(key);
      const part = newPart(blobs, key, contentType);
      blobs.parts.set(part.id, part);
      return { state: part.id, size: 0 };
    },
    async resume(key, draft, { isContested = false } = {}) {
      const part = find(blobs, key, draft);
      if (part === undefined) return undefined;
      const chunks = head(part.chunks, draft.size);
      if (isContested) return writerOf(blobs, part, Object.assign(newPart(blobs, key, part.contentType), { chunks, size: draft.size }));
      return writerOf(blobs, part, Object.assign(part, { chunks, size: draft.size }));
    },
    async recover(key, draft) {
      const part = find(blobs, key, draft);
      return part && { state: part.id, size: part.size };
    },
    async read(key, draft, range) {
      const part = find(blobs, key, draft);
      return part && chunksOf(Buffer.concat(part.chunks), clampRange(range, draft.size));
    },
    async complete(key, draft) {
      const part = find(blobs, key, draft);
      const whole = blobs.whole.get(key)?.stat;
      const stat = part === undefined ? whole : makeWhole(blobs, part, draft.size);
      if (stat?.size !== draft.size) return undefined;
      removeParts(blobs, key);
      return stat;
    },
  };
}

function find({ parts }: Blobs, key: string, { state, size }: Draft): Part | undefined {
  checkBlobKey(key);
  const part = parts.get(state);
  return part?.key === key && part.size >= size ? part : undefined;
}

/** @param part the part to write to. If another writer may hold `origin`, it is a copy, which the store gets with the first flush */
function writerOf(blobs: Blobs, origin: Part, part: Part): DraftWriter {
  let stored = origin;
  let isOpen = true;
  const requireOpen = () => {
    if (!isOpen || !blobs.parts.has(stored.id))
      throw new Unavailable(`The draft of the blob "${part.key}" was deleted or ended while it was written. Resume it, or write it again.`);
  };
  return {
    async write(chunk) {
      requireOpen();
      addTo(part, chunk, blobs);
    },
    async flush() {
      requireOpen();
      blobs.parts.set(part.id, part);
      stored = part;
      return { state: part.id, size: part.size };
    },
    async handOver() {
      requireOpen();
    },
    async close() {
      isOpen = false;
      return { isContested: false };
    },
  };
}

/** The first `size` bytes. */
function head(chunks: readonly Buffer[], size: number): Buffer[] {
  const kept: Buffer[] = [];
  let rest = size;
  for (const chunk of chunks) {
    if (rest <= 0) break;
    kept.push(chunk.subarray(0, rest));
    rest -= chunk.length;
  }
  return kept;
}
