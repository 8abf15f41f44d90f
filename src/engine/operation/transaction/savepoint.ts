import type { Storage, TransactionOptions } from "../../../ground/storage/storage.js";
import { afterCommit, waitingFor } from "./afterCommit.js";
import { adoptSeen } from "./seenVersions.js";
import { nestIn } from "./transactionsAround.js";

/** Runs in a savepoint of a transaction. What waits for the savepoint waits for the whole transaction, unless the savepoint is rolled back. */
export async function savepoint<R>(tx: Storage, run: (inner: Storage) => Promise<R>, options?: TransactionOptions): Promise<R> {
  if (tx.transaction === undefined) throw new Error(`The transactions of "${tx.name}" cannot be nested.`);
  let last: Storage | undefined;
  const result = await tx.transaction((inner) => {
    last = inner;
    nestIn(tx, inner);
    return run(inner);
  }, options);
  if (last === undefined || last === tx) return result;
  for (const callback of waitingFor(last)) afterCommit(tx, callback);
  adoptSeen(last, tx);
  return result;
}
