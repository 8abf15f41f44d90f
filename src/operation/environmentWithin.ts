import { complete } from "../storage/complete.js";
import type { Storage } from "../storage/storage.js";
import type { Environment } from "./environment.js";

/** The same environment within a transaction: all reads and writes use it, and a nested transaction is a savepoint. */
export function environmentWithin(environment: Environment, tx: Storage): Environment {
  const { idempotency, models, version } = environment;
  return {
    ...environment,
    storage: tx,
    idempotency: idempotency?.sharesTransactions && tx.idempotency !== undefined ? { ...idempotency, store: tx.idempotency } : undefined,
    transaction(run) {
      if (tx.transaction === undefined) throw new Error(`The transactions of "${tx.name}" cannot be nested.`);
      return tx.transaction(run);
    },
    collection(name) {
      const model = models.get(name);
      if (model === undefined) throw new Error(`There is no collection "${name}".`);
      const rows = complete(tx.collection(model), model.id);
      return version === undefined ? rows : version.rows(name, rows);
    },
  };
}
