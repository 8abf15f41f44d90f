import type { Environment } from "../../engine/operation/environment.js";
import type { Offer } from "../../engine/operation/offers.js";
import type { BlobStore } from "../../ground/storage/files/blobs.js";

const offered: Offer<{ readonly blobs: BlobStore | undefined }> = { name: "transfer" };

/** The store of the files of imports and exports; `undefined` if `transfer()` has no `blobs`, so that every import and export runs within its request. */
export function blobsOf({ offers }: Pick<Environment, "offers">): BlobStore | undefined {
  return offers.get(offered)?.blobs;
}
