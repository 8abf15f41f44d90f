import { type StoringOptions, untilStored } from "../../../ground/storage/storedLater.js";
import { retrying } from "./retry.js";

/** Stores how work has ended: again at once after a conflict with another write, and later if the store is away. @throws as {@link untilStored} */
export function storeEnd<R>(store: () => Promise<R>, options: StoringOptions): Promise<R> {
  return untilStored(() => retrying(store, options), options);
}
