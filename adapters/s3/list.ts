import { isBlobKey } from "../../src/storage/blobKey.js";
import type { BlobListing } from "../../src/storage/blobs.js";
import type { S3Api } from "./api.js";
import type { Drafts } from "./drafts.js";
import { headObject } from "./objects.js";
import { type ListedUpload, listObjects, listUploads, partsOf } from "./pages.js";

/** All blobs whose keys begin with a prefix and that were last written before an instant, in whatever state they are. */
export async function* listBlobs(api: S3Api, drafts: Drafts, prefix: string, before: Date): AsyncGenerator<BlobListing> {
  if (prefix !== "" && !isBlobKey(prefix)) return;
  const begun = new Map<string, ListedUpload[]>(drafts.keys(prefix).map((key) => [key, []]));
  for await (const upload of listUploads(api, prefix)) begun.set(upload.key, [...(begun.get(upload.key) ?? []), upload]);
  for await (const object of listObjects(api, prefix)) {
    begun.delete(object.key);
    if (object.lastModified < before) yield { ...object, complete: true };
  }
  for (const [key, uploads] of begun) {
    const listing = uploads.every((upload) => upload.begun < before) ? await listingOf(api, drafts, key, uploads) : undefined;
    if (listing !== undefined && listing.lastModified < before) yield listing;
  }
}

/** What was begun under a key; `undefined` where it has ended meanwhile. The blob may have become whole after its place in the listing was passed. */
async function listingOf(api: S3Api, drafts: Drafts, key: string, uploads: readonly ListedUpload[]): Promise<BlobListing | undefined> {
  const found = [...(await Promise.all(uploads.map((upload) => partsOf(api, upload)))), ...drafts.of(key)].filter((parts) => parts !== undefined);
  const whole = await headObject(api, key);
  if (whole !== undefined) return { key, size: whole.size, lastModified: whole.lastModified, complete: true };
  if (found.length === 0) return undefined;
  const size = found.reduce((sum, parts) => sum + parts.size, 0);
  return { key, size, lastModified: new Date(Math.max(...found.map(({ lastModified }) => lastModified.getTime()))), complete: false };
}
