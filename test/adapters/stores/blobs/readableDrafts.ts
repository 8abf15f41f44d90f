import assert from "node:assert/strict";
import type { BlobDrafts, BlobStore } from "../../../../src/ground/storage/files/blobs.js";

/** Drafts that can be read before they are complete. */
export type ReadableDrafts = BlobDrafts & Required<Pick<BlobDrafts, "read">>;

/** The drafts of a store that has to have them, and to be able to read them. */
export function readableDrafts({ drafts }: BlobStore): ReadableDrafts {
  const read = drafts?.read?.bind(drafts);
  assert.ok(drafts !== undefined && read !== undefined);
  return { ...drafts, read };
}
