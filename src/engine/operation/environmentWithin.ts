import type { Storage } from "../../ground/storage/storage.js";
import type { Environment } from "./environment.js";
import { rowsWithin } from "./transaction/rowsWithin.js";
import { requireIsolation } from "./transaction/runTransaction.js";
import { savepoint } from "./transaction/savepoint.js";

/** The same environment within a transaction: all reads and writes use it, and a nested transaction is a savepoint. */
export function environmentWithin(environment: Environment, tx: Storage): Environment {
  const { idempotency, models, version } = environment;
  const schemaRows = (name: string) => {
    const model = models.get(name);
    if (model === undefined) throw new Error(`There is no collection "${name}".`);
    return rowsWithin(tx, model);
  };
  return {
    ...environment,
    storage: tx,
    idempotency: idempotency?.sharesTransactions && tx.idempotency !== undefined ? { ...idempotency, store: tx.idempotency } : undefined,
    async transaction(run, { isolation, ...options } = {}) {
      requireIsolation(tx, isolation);
      return savepoint(tx, run, options);
    },
    schemaRows,
    collection: (name) => version?.rows(name, schemaRows(name)) ?? schemaRows(name),
  };
}
