import { isBlobKey } from "../../../src/ground/storage/files/blobKey.js";
import type { BlobListing } from "../../../src/ground/storage/files/blobs.js";
import type { S3Api } from "./call/api.js";
import { headObject, isMissing } from "./objects.js";
import { type ListedUpload, listObjects, listParts, listUploads, type Stored } from "./pages.js";
import type { PendingBlobs } from "./pendingBlobs.js";

/** What was begun under a key. */
interface Begun {
  readonly key: string;
  readonly uploads: ListedUpload[];
  readonly tails: Stored[];
}

/** All blobs, in any state, whose keys begin with a prefix and that were last written before a time. */
export async function* listBlobs(api: S3Api, pending: PendingBlobs, prefix: string, before: Date): AsyncGenerator<BlobListing> {
  if (prefix !== "" && !isBlobKey(prefix)) return;
  const begun = new BegunBlobs();
  for (const key of pending.keys(prefix)) begun.under(key);
  for await (const upload of listUploads(api, prefix)) begun.under(upload.key).uploads.push(upload);
  // Whole blobs whose tails may follow: names are sorted, and the name of a tail begins with the key.
  let passed: readonly string[] = [];
  for await (const { key, tail, ...stored } of listObjects(api, prefix)) {
    passed = passed.filter((whole) => key.startsWith(whole));
    if (tail === undefined) {
      begun.delete(key);
      passed = [...passed, key];
      if (stored.lastModified < before) yield { key, ...stored, complete: true };
    } else if (!passed.includes(key)) begun.under(key).tails.push(stored);
  }
  for (const one of begun.all()) {
    const listing = isBefore(one, before) ? await listingOf(api, pending, one) : undefined;
    if (listing !== undefined && listing.lastModified < before) yield listing;
  }
}

class BegunBlobs {
  readonly #all = new Map<string, Begun>();

  under(key: string): Begun {
    const begun = this.#all.get(key) ?? { key, uploads: [], tails: [] };
    this.#all.set(key, begun);
    return begun;
  }

  delete(key: string): void {
    this.#all.delete(key);
  }

  all(): Iterable<Begun> {
    return this.#all.values();
  }
}

function isBefore({ uploads, tails }: Begun, before: Date): boolean {
  return uploads.every((upload) => upload.begun < before) && tails.every(({ lastModified }) => lastModified < before);
}

/** What was begun under a key; `undefined` if it has ended meanwhile. The blob may have been completed after the listing passed its key. */
async function listingOf(api: S3Api, pending: PendingBlobs, { key, uploads, tails }: Begun): Promise<BlobListing | undefined> {
  const sent = await Promise.all(uploads.map((upload) => partsOf(api, upload)));
  const found = [...sent, ...tails, ...pending.of(key)].filter((stored) => stored !== undefined);
  const whole = await headObject(api, key);
  if (whole !== undefined) return { key, size: whole.size, lastModified: whole.lastModified, complete: true };
  if (found.length === 0) return undefined;
  const size = found.reduce((sum, stored) => sum + stored.size, 0);
  return { key, size, lastModified: new Date(Math.max(...found.map(({ lastModified }) => lastModified.getTime()))), complete: false };
}

/** The size of an upload, and when its last part arrived; `undefined` if it has ended. */
async function partsOf(api: S3Api, upload: ListedUpload): Promise<Stored | undefined> {
  let size = 0;
  let lastMs = upload.begun.getTime();
  try {
    for await (const part of listParts(api, upload)) {
      size += part.size;
      lastMs = Math.max(lastMs, part.lastModified.getTime());
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return { size, lastModified: new Date(lastMs) };
}
