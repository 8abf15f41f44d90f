import { addTo } from "../../../ground/storage/addTo.js";
import type { Storage } from "../../../ground/storage/storage.js";

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
