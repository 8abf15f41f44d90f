import type { BlobStore, BlobWriter } from "../storage/blobs.js";
import type { Lifetime } from "./fault/lifetime.js";
import { countedMethods } from "./fault/methods.js";
import { type FaultyStorage, lifetimeOf } from "./faultyStorage.js";

/**
 * A store of blobs of the process that has the storage: its calls and those of its writers are counted with the storage's, and die with them. What was
 * begun and not committed when the process dies stays as it is.
 *
 * Each blob of a listing counts. `close` neither counts nor dies.
 *
 * @param storage made by `faultyStorage`
 * @example
 * const storage = faultyStorage(memoryStorage(), { dieAfter: 7 });
 * const service = createService({ resources, storage, blobs: faultyBlobs(memoryBlobs(), storage) });
 */
export function faultyBlobs(blobs: BlobStore, storage: FaultyStorage): BlobStore {
  const lifetime = lifetimeOf(storage);
  return countedMethods(blobs, "blobs", lifetime, {
    async open(key: string, options?: Parameters<BlobStore["open"]>[1]): Promise<BlobWriter> {
      return countedMethods(await lifetime.call("blobs.open", () => blobs.open(key, options)), "writer", lifetime, {});
    },
    list: (prefix: string, options: Parameters<BlobStore["list"]>[1]) => countedListing(blobs.list(prefix, options), lifetime),
    close: async () => blobs.close?.(),
  });
}

async function* countedListing<Listing>(listing: AsyncIterable<Listing>, lifetime: Lifetime): AsyncGenerator<Listing, void, void> {
  for await (const each of listing) yield await lifetime.call("blobs.list", async () => each);
}
