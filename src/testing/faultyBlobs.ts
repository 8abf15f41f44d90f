import type { BlobDrafts, BlobStore, BlobWriter, Draft, DraftWriter } from "../ground/storage/files/blobs.js";
import type { Lifetime } from "./fault/lifetime.js";
import { countedMethods } from "./fault/methods.js";
import { type FaultyStorage, lifetimeOf } from "./faultyStorage.js";

/**
 * A blob store for the same simulated process as a storage of `faultyStorage`. Calls of the store, its drafts and its writers are counted together with those
 * of the storage, and die with them. Incomplete blobs stay in the store when the process dies.
 *
 * Each blob of a listing counts as a call. `close` of the store and of draft writers, and `follow` of writers do not count and do not die.
 *
 * @param storage a storage of `faultyStorage`
 * @example
 * const storage = faultyStorage(memoryStorage(), { dieAfter: 7 });
 * const service = createService({ resources, storage, blobs: faultyBlobs(memoryBlobs(), storage) });
 */
export function faultyBlobs(blobs: BlobStore, storage: FaultyStorage): BlobStore {
  const lifetime = lifetimeOf(storage);
  return countedMethods(blobs, "blobs", lifetime, {
    async open(key: string, options?: Parameters<BlobStore["open"]>[1]): Promise<BlobWriter> {
      const writer = await lifetime.call("blobs.open", () => blobs.open(key, options));
      return countedMethods(writer, "writer", lifetime, { follow: writer.follow && (() => writer.follow?.()) });
    },
    list: (prefix: string, options: Parameters<BlobStore["list"]>[1]) => countedListing(blobs.list(prefix, options), lifetime),
    drafts: blobs.drafts && countedDrafts(blobs.drafts, lifetime),
    directParts: blobs.directParts && countedMethods(blobs.directParts, "directParts", lifetime, {}),
    close: async () => blobs.close?.(),
  });
}

function countedDrafts(drafts: BlobDrafts, lifetime: Lifetime): BlobDrafts {
  return countedMethods(drafts, "drafts", lifetime, {
    async resume(key: string, draft: Draft, options?: Parameters<BlobDrafts["resume"]>[2]): Promise<DraftWriter | undefined> {
      const writer = await lifetime.call("drafts.resume", () => drafts.resume(key, draft, options));
      return writer && countedMethods(writer, "draftWriter", lifetime, { close: () => writer.close() });
    },
  });
}

async function* countedListing<Listing>(listing: AsyncIterable<Listing>, lifetime: Lifetime): AsyncGenerator<Listing, void, void> {
  for await (const each of listing) yield await lifetime.call("blobs.list", async () => each);
}
