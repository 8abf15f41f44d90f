import { isBlobKey } from "../../src/storage/blobKey.js";
import type { BlobListing } from "../../src/storage/blobs.js";
import type { S3Api } from "./api.js";
import { headObject, isMissing } from "./objects.js";
import { type ListedUpload, listObjects, listParts, listUploads, type Stored } from "./pages.js";
import type { UnsentBlobs } from "./unsent.js";

/** What was begun under a key. */
interface Begun {
  readonly key: string;
  readonly uploads: ListedUpload[];
  readonly tails: Stored[];
}

/** All blobs whose keys begin with a prefix and that were last written before an instant, in whatever state they are. */
export async function* listBlobs(api: S3Api, unsent: UnsentBlobs, prefix: string, before: Date): AsyncGenerator<BlobListing> {
  if (prefix !== "" && !isBlobKey(prefix)) return;
  const begun = new BegunBlobs();
  for (const key of unsent.keys(prefix)) begun.under(key);
  for await (const upload of listUploads(api, prefix)) begun.under(upload.key).uploads.push(upload);
  // Whole blobs whose tails may be still to come: names are in their order, and that of a tail begins with the key.
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
    const listing = isBefore(one, before) ? await listingOf(api, unsent, one) : undefined;
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

/** What was begun under a key; `undefined` where it has ended meanwhile. The blob may have become whole after its place in the listing was passed. */
async function listingOf(api: S3Api, unsent: UnsentBlobs, { key, uploads, tails }: Begun): Promise<BlobListing | undefined> {
  const sent = await Promise.all(uploads.map((upload) => partsOf(api, upload)));
  const found = [...sent, ...tails, ...unsent.of(key)].filter((stored) => stored !== undefined);
  const whole = await headObject(api, key);
  if (whole !== undefined) return { key, size: whole.size, lastModified: whole.lastModified, complete: true };
  if (found.length === 0) return undefined;
  const size = found.reduce((sum, stored) => sum + stored.size, 0);
  return { key, size, lastModified: new Date(Math.max(...found.map(({ lastModified }) => lastModified.getTime()))), complete: false };
}

/** How much of an upload there is, and when its last part came; `undefined` where it has ended. */
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
