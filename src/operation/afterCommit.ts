import { addTo } from "../storage/addTo.js";
import type { Storage, TransactionOptions } from "../storage/storage.js";

/** A function that runs when a transaction has committed. */
export type Callback = () => unknown;

/** What waits for the end of each transaction. */
const waiting = new WeakMap<Storage, Callback[]>();

/** Runs a function after the transaction has committed; never if it is rolled back, or if this process ends before. */
export function afterCommit(tx: Storage, callback: Callback): void {
  addTo(waiting, tx, callback);
}

/** The functions that wait for this transaction, in the order in which they were added. */
export function waitingFor(tx: Storage | undefined): readonly Callback[] {
  return (tx && waiting.get(tx)) ?? [];
}

/** The transaction that each nested one is part of. */
const outer = new WeakMap<Storage, Storage>();

/** The transactions around this one, from the inside out. What they do waits until this one ends. */
export function transactionsAround(tx: Storage): readonly Storage[] {
  const around = outer.get(tx);
  return around === undefined ? [] : [around, ...transactionsAround(around)];
}

/** Runs in a savepoint of a transaction. What waits for the savepoint waits for the whole transaction, unless the savepoint is rolled back. */
export async function savepoint<R>(tx: Storage, run: (inner: Storage) => Promise<R>, options?: TransactionOptions): Promise<R> {
  if (tx.transaction === undefined) throw new Error(`The transactions of "${tx.name}" cannot be nested.`);
  let last: Storage | undefined;
  const result = await tx.transaction((inner) => {
    last = inner;
    if (inner !== tx) outer.set(inner, tx);
    return run(inner);
  }, options);
  if (last !== tx) for (const callback of waitingFor(last)) afterCommit(tx, callback);
  return result;
}
