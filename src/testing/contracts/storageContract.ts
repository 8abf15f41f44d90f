import { callable, optionsCheck, strict } from "../../ground/options/index.js";
import type { Storage } from "../../ground/storage/storage.js";
import { skipReason } from "../storage/scenario.js";
import { scenarios } from "../storage/scenarios.js";
import { Stage } from "../storage/stage.js";

/** One case of a contract, for any test runner. */
export interface ContractCase {
  readonly name: string;
  /** Why this case is skipped: a capability that the store does not have. */
  readonly skip?: string | undefined;
  /** Rejects if the store breaks the contract. */
  run(): Promise<void>;
}

export interface StorageContractOptions {
  /** Opens an empty store. All cases use one store; the caller closes it at the end. */
  open(): Promise<Storage>;
  /** Closes a store from `open` and opens the same data again; for stores whose data outlive the process. */
  reopen?: ((storage: Storage) => Promise<Storage>) | undefined;
}

const check = /* @__PURE__ */ optionsCheck("storageContract", () =>
  strict<StorageContractOptions>({ open: callable(), reopen: callable() }, ["open"]),
);

/**
 * The cases that every store of rows must pass. They may run in any order and concurrently: each uses its own collection.
 *
 * @example
 * const cases = await storageContract({ open: async () => memoryStorage() });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function storageContract(options: StorageContractOptions): Promise<readonly ContractCase[]> {
  check(options);
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
