import type { Storage } from "../storage/storage.js";
import { skipReason } from "./storage/scenario.js";
import { scenarios } from "./storage/scenarios.js";
import { Stage } from "./storage/stage.js";

/** One check of the contract, for any test runner. */
export interface ContractCase {
  readonly name: string;
  /** Why the store is let off this check: a capability that it does not declare. */
  readonly skip?: string | undefined;
  /** Rejects when the store breaks the contract. */
  run(): Promise<void>;
}

export interface StorageContractOptions {
  /** An empty store. One serves all checks; the caller closes it afterwards. */
  open(): Promise<Storage>;
  /** Closes a store that `open` gave and opens the same data again; for stores that outlive their process. */
  reopen?: ((storage: Storage) => Promise<Storage>) | undefined;
}

/**
 * The checks that every store of rows has to pass. They may run in any order and at the same time: each uses a collection of its own.
 *
 * @example
 * const cases = await storageContract({ open: async () => memoryStorage() });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function storageContract(options: StorageContractOptions): Promise<readonly ContractCase[]> {
  const { open, reopen } = options;
  const storage = await open();
  const stage = new Stage(storage, reopen && { open, reopen });
  const { can } = storage.collection(stage.model());
  return scenarios.map(({ name, needs = {}, run }) => ({
    name,
    skip: skipReason(needs, can, storage, reopen !== undefined),
    run: () => run(stage),
  }));
}
