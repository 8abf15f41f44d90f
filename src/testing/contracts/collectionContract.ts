import { z } from "zod";
import { callable, named, optionsCheck, strict, texts } from "../../ground/options/index.js";
import type { CollectionModel } from "../../ground/storage/model.js";
import type { Storage } from "../../ground/storage/storage.js";
import { collectionReadScenarios } from "../collection/collectionReads.js";
import type { CollectionScenario } from "../collection/collectionScenario.js";
import { CollectionStage } from "../collection/collectionStage.js";
import { collectionWriteScenarios } from "../collection/collectionWrites.js";
import { skipReason } from "../storage/scenario.js";
import type { ContractCase } from "./storageContract.js";

export interface CollectionContractOptions {
  /** Opens the store. All cases use one store; the caller closes it at the end. */
  open(): Promise<Storage>;
  /** The collection: `model` of what `defineResource` returns. */
  readonly model: CollectionModel;
  /**
   * Sample rows: the same for the same index from 0 on, with ids and unique keys of their own. Each has all values that a row is inserted with: those of clients and those that
   * the service generates, but not those that the database makes. The first rows have a value of each unique key; let others have nulls, and equal values, where they may.
   */
  row(index: number): Readonly<Record<string, unknown>>;
  /** Removes all rows. */
  reset(): Promise<void>;
  /** Two tenants. Defaults to `["a", "b"]`; a `table` with a column of tenants needs values of its type, and other tables have none. */
  readonly tenants?: readonly [string, string] | undefined;
}

const check = /* @__PURE__ */ optionsCheck("collectionContract", () =>
  strict<CollectionContractOptions>(
    { open: callable(), model: named(z.unknown(), "the model of a collection"), row: callable(), reset: callable(), tenants: texts() },
    ["open", "model", "row", "reset"],
  ),
);

const scenarios: readonly CollectionScenario[] = [...collectionWriteScenarios, ...collectionReadScenarios];

/**
 * The cases that a collection of your own must pass, over its own model and sample rows: for a table of yours, and for a store that serves some collections only. They run
 * one after the other, even if they are started together, since they share the collection.
 *
 * @throws {ConfigurationError}
 * @example
 * const cases = await collectionContract({ open, model: users.model, row: (index) => ({ id: index + 1, name: `user ${index}` }), reset });
 * for (const c of cases) test(c.name, { skip: c.skip !== undefined }, c.run); // vitest; with node:test: { skip: c.skip }
 */
export async function collectionContract(options: CollectionContractOptions): Promise<readonly ContractCase[]> {
  check(options);
  const { open, model, row, reset } = options;
  const storage = await open();
  await storage.migrate?.([model]);
  const tenants = options.tenants ?? (model.table === undefined ? (["a", "b"] as const) : undefined);
  const stage = new CollectionStage(storage, { model, row: (index) => row(index), reset: () => reset(), tenants });
  let last: Promise<void> = Promise.resolve();
  return scenarios.map(({ name, needs = {}, run }) => ({
    name,
    skip: needs.tenants && tenants === undefined ? "the options have no tenants" : skipReason(needs, stage.rows.can, storage, false),
    run() {
      const running = last.then(() => run(stage));
      last = running.catch(() => {});
      return running;
    },
  }));
}
