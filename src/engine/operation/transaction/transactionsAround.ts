import type { Storage } from "../../../ground/storage/storage.js";

/** The transaction that each nested one is part of. */
const outer = new WeakMap<Storage, Storage>();

export function nestIn(tx: Storage, inner: Storage): void {
  if (inner !== tx) outer.set(inner, tx);
}

/** The transaction that this one is part of. */
export function transactionAround(tx: Storage): Storage | undefined {
  return outer.get(tx);
}

/** The transactions around this one, from the inside out. What they do waits until this one ends. */
export function transactionsAround(tx: Storage): readonly Storage[] {
  const around = outer.get(tx);
  return around === undefined ? [] : [around, ...transactionsAround(around)];
}

/** The transaction that commits, whatever is nested in it. */
export function outermost(tx: Storage): Storage {
  return transactionsAround(tx).at(-1) ?? tx;
}
