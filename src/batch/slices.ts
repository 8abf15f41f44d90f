import type { Storage } from "../storage/storage.js";
import type { ItemResult } from "./result.js";

/** An item that may be written, with its place in the batch. */
export interface ReadyItem<Ready> {
  readonly index: number;
  readonly ready: Ready;
}

/** What was found out of an item before anything is written: it is ready, or its result is known already. */
export type Judgement<Ready> = { readonly ready: Ready } | { readonly result: ItemResult };

/** In the place of a result: what the item was judged by has changed meanwhile, so it has to be judged again. */
export const again: unique symbol = Symbol("again");

export type Written = ItemResult | typeof again;

/** How items that stand next to each other are done together. */
export interface SliceWork<Item, Ready> {
  /** At most so many items a slice. */
  readonly sliceItems: number;
  /**
   * Judges items without writing anything: permissions, preconditions, validation. Called outside of any transaction.
   *
   * @param first place of the first one
   */
  judge(items: readonly Item[], first: number): Promise<readonly Judgement<Ready>[]>;
  /**
   * Writes the items that are ready, in order.
   *
   * @param tx storage of the open transaction; `undefined` where there is none
   */
  write(items: readonly ReadyItem<Ready>[], tx: Storage | undefined): Promise<readonly Written[]>;
  /** Whether `write` brings its own commit, so that best effort opens no transaction around it. */
  readonly commitsItself?: boolean | undefined;
  /** Whether `write` is one call of the store, atomic by contract: a transaction is needed only where something joins it. */
  readonly isOneCall?: boolean | undefined;
}

/** Remembers slices in their own transactions, so that a batch that is begun again does none of them twice. */
export interface SliceJournal {
  /** The results of the slice that begins at `first`, where an earlier try has committed it. */
  recall(tx: Storage, first: number): Promise<readonly ItemResult[] | undefined>;
  /** Keeps the result of an item that was not written, where those are kept that come of no commit. */
  keepFailed?(index: number, result: ItemResult): Promise<void>;
  /**
   * @param tx `undefined` where the items have been committed already
   * @param results of the slice that begins at `first`
   */
  keep(tx: Storage | undefined, first: number, results: readonly ItemResult[]): Promise<void>;
}

/** The results of a slice in its order: those known beforehand, and those of the write. */
export function mergeResults<Ready>(judgements: readonly Judgement<Ready>[], written: readonly Written[]): Written[] {
  let next = 0;
  return judgements.map((judgement) => {
    if ("result" in judgement) return judgement.result;
    const result = written[next++];
    if (result === undefined) throw new Error(`A slice of ${judgements.length} items was written with ${written.length} results.`);
    return result;
  });
}

export function readyItems<Ready>(judgements: readonly Judgement<Ready>[], first: number): ReadyItem<Ready>[] {
  return judgements.flatMap((judgement, offset) => ("ready" in judgement ? [{ index: first + offset, ready: judgement.ready }] : []));
}
