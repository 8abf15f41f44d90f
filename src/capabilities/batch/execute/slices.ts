import type { Clock } from "../../../ground/clock/clock.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { ItemResult } from "./results/result.js";

/** An item that can be written, with its index in the batch. */
export interface ReadyItem<Ready> {
  readonly index: number;
  readonly ready: Ready;
}

/** The validation of an item before anything is written: the item is ready, or its result is already known. */
export type Validation<Ready> = { readonly ready: Ready } | { readonly result: ItemResult };

/** Replaces a result if the row changed after its item was validated: the item must be validated again. */
export const again: unique symbol = Symbol("again");

export type Written = ItemResult | typeof again;

/** How consecutive items are executed together. */
export interface SliceWork<Item, Ready> {
  /** The most items of a slice. */
  readonly sliceItems: number;
  /** How many they may be after slices that took little time; they stay as many if absent. */
  readonly growth?: { readonly maxItems: number; readonly clock: Clock } | undefined;
  /**
   * Validates items without writing: permissions, preconditions, schema. Called outside of transactions.
   *
   * @param first index of the first item
   * @param isAtomic whether all items are needed; otherwise only those whose rows are not too much for one slice are validated, at least the first
   */
  validate(items: readonly Item[], first: number, isAtomic: boolean): Promise<readonly Validation<Ready>[]>;
  /** Locks the rows that the items write, in the order that all batches use. */
  lock?(items: readonly ReadyItem<Ready>[], tx: Storage): Promise<void>;
  /**
   * Writes the items that are ready, in order.
   *
   * @param tx storage of the open transaction; `undefined` if there is none
   */
  write(items: readonly ReadyItem<Ready>[], tx: Storage | undefined): Promise<readonly Written[]>;
  /** Leaves out the `data` of results that are too much for one response. */
  fit?(results: readonly ItemResult[], first: number): readonly ItemResult[];
  /** Restores what it needs of the results before this index, which an earlier run of the same job executed. */
  recall?(end: number): Promise<void>;
  /** Whether `write` commits by itself, so that best effort opens no transaction around it. */
  readonly commitsItself?: boolean | undefined;
  /** Whether `write` is one call of the store, atomic by contract: a transaction is needed only if something joins it. */
  readonly isOneCall?: boolean | undefined;
}

/** Records slices in their own transactions, so that a later attempt of the batch does not execute them twice. */
export interface SliceJournal {
  /** The results of the slice that begins at `first`, if an earlier attempt committed it. */
  recall(tx: Storage, first: number): Promise<readonly ItemResult[] | undefined>;
  /** Stores the result of an item that was not written, if such results are stored. */
  keepFailed?(index: number, result: ItemResult): Promise<void>;
  /**
   * @param tx `undefined` if the items have already been committed
   * @param results of the slice that begins at `first`
   */
  keep(tx: Storage | undefined, first: number, results: readonly ItemResult[]): Promise<void>;
}

/** The results of a slice in its order: those known from validation, and those of the write. */
export function mergeResults<Ready>(validations: readonly Validation<Ready>[], written: readonly Written[]): Written[] {
  let next = 0;
  return validations.map((validation) => {
    if ("result" in validation) return validation.result;
    const result = written[next++];
    if (result === undefined) throw new Error(`A slice of ${validations.length} items was written with ${written.length} results.`);
    return result;
  });
}

export function readyItems<Ready>(validations: readonly Validation<Ready>[], first: number): ReadyItem<Ready>[] {
  return validations.flatMap((validation, offset) => ("ready" in validation ? [{ index: first + offset, ready: validation.ready }] : []));
}
