import { asProblem } from "../../../engine/operation/faults/asProblem.js";
import { isOutcomeUnknown } from "../../../engine/operation/transaction/outcomeUnknown.js";
import { pauseBefore } from "../../../engine/operation/work/retry.js";
import { SlicePace } from "../../../engine/operation/work/slicePace.js";
import { ChangedInTransaction } from "../../../engine/operation/write/changedInTransaction.js";
import { writeConflict } from "../../../engine/resource/write/conflict.js";
import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { isRefusal, ProblemError } from "../../../ground/problem/index.js";
import { Retryable, Unavailable } from "../../../ground/storage/errors.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { BatchOutcome, BatchSettings } from "../plan/settings.js";
import { failedItem } from "./items/failedItem.js";
import type { ItemResult } from "./results/result.js";
import { again, mergeResults, type ReadyItem, readyItems, type SliceWork, type Validation } from "./slices.js";

/** An item of the slice changed after it was validated: the slice is rolled back and validated again. */
class ValidateAgain extends Error {}

/** The journal rejected the slice, because another attempt took the batch over: nothing may commit. */
class JournalFault extends Error {}

/**
 * Executes items in slices, each in its own transaction. A failed item does not affect the others.
 *
 * @param place index of the first item in its batch
 * @throws the error of the first slice, if nothing has been written yet; any error of the storage, if the batch is continued later
 */
export async function executeBestEffort<Item, Ready>(
  items: readonly Item[],
  work: SliceWork<Item, Ready>,
  settings: BatchSettings,
  place = 0,
): Promise<BatchOutcome> {
  const results: ItemResult[] = [];
  const slices = new Slices(work, settings);
  for (let first = 0; first < items.length; first = results.length) {
    if (settings.timeIsOver?.()) return { kind: "out-of-time", results };
    results.push(...(await slices.next(items.slice(first, first + slices.size), place + first)));
    await yieldToEventLoop();
  }
  return { kind: "done", results };
}

/** The slices of one batch, in order. */
class Slices<Item, Ready> {
  readonly #size: number;
  /** Of slices that may grow. */
  readonly #pace: SlicePace | undefined;
  readonly #work: SliceWork<Item, Ready>;
  readonly #settings: BatchSettings;
  /** Whether slices are written without a transaction. */
  readonly #standsAlone: boolean;
  #somethingWritten = false;
  /** Once the store is unavailable, the remaining items are not attempted. */
  #down: ItemResult | undefined;

  constructor(work: SliceWork<Item, Ready>, settings: BatchSettings) {
    this.#work = work;
    this.#settings = settings;
    const hasTransactions = settings.transaction !== undefined;
    this.#standsAlone = work.commitsItself || !hasTransactions;
    const { growth, sliceItems } = work;
    this.#size = work.commitsItself || hasTransactions ? sliceItems : 1;
    if (growth !== undefined && this.#size === sliceItems)
      this.#pace = new SlicePace({ firstRows: sliceItems, minRows: sliceItems, maxRows: growth.maxItems, clock: growth.clock });
  }

  /** How many items the next slice has. */
  get size(): number {
    return this.#pace?.rows ?? this.#size;
  }

  async next(items: readonly Item[], first: number): Promise<readonly ItemResult[]> {
    const perform = () => this.#perform(items, first);
    return this.#pace === undefined ? perform() : this.#pace.measured(items.length, perform);
  }

  async #perform(items: readonly Item[], first: number): Promise<readonly ItemResult[]> {
    const down = this.#down;
    if (down !== undefined) return items.map(() => down);
    if (items.length === 1) return this.#performOne(items, first);
    try {
      return await this.#commit(items, first);
    } catch (error) {
      if (error instanceof JournalFault) throw error.cause;
      if (error instanceof Unavailable) return this.#fail(error, items);
    }
    // One item makes the whole slice fail. Items are written one by one, so that only that item fails.
    const results: ItemResult[] = [];
    while (results.length < items.length) {
      const next = items.slice(results.length, results.length + 1);
      results.push(...(this.#down === undefined ? await this.#performOne(next, first + results.length) : [this.#down]));
    }
    return results;
  }

  /** The result of an item; the results of a whole slice if an earlier attempt committed a slice that begins with the item. */
  async #performOne(items: readonly Item[], index: number): Promise<readonly ItemResult[]> {
    const { writeRetries, retry, problems } = this.#settings;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#commit(items, index);
      } catch (error) {
        if (error instanceof JournalFault) throw error.cause;
        if (!(error instanceof ValidateAgain || error instanceof ChangedInTransaction)) return this.#keepFailed(index, this.#failOne(error, items));
        if (attempt === writeRetries) return this.#keepFailed(index, failedItem(writeConflict(attempt + 1), problems));
      }
      await pauseBefore(attempt, retry);
    }
  }

  async #keepFailed(index: number, result: ItemResult): Promise<readonly ItemResult[]> {
    await this.#settings.journal?.keepFailed?.(index, result);
    return this.#fit([result], index);
  }

  async #commit(items: readonly Item[], first: number): Promise<readonly ItemResult[]> {
    const { journal } = this.#settings;
    const validations = await this.#work.validate(items, first, false);
    const ready = readyItems(validations, first);
    const write = async (tx: Storage | undefined) =>
      this.#fit(requireFinal(mergeResults(validations, ready.length === 0 ? [] : await this.#work.write(ready, tx))), first);
    const alone = this.#standsAlone || (journal === undefined && (this.#work.isOneCall || ready.length === 0));
    let results: readonly ItemResult[];
    try {
      results = alone ? await write(undefined) : await this.#inTransaction(first, ready, write);
    } catch (error) {
      if (!isOutcomeUnknown(error) || this.#isContinued) throw error;
      return this.#fit(this.#leaveOpen(error, validations), first);
    }
    this.#somethingWritten ||= ready.length > 0;
    if (alone) await this.#keep(undefined, first, results);
    return results;
  }

  /** The results of a slice that may have been written. An item that was rejected before has its own. */
  #leaveOpen(error: Unavailable, validations: readonly Validation<Ready>[]): readonly ItemResult[] {
    const { fault, problems } = this.#settings;
    const open = fault(error);
    this.#somethingWritten = true;
    this.#down = failedItem(asProblem(error.cause), problems);
    return validations.map((validation) => ("result" in validation ? validation.result : open));
  }

  async #inTransaction(
    first: number,
    ready: readonly ReadyItem<Ready>[],
    write: (tx: Storage) => Promise<readonly ItemResult[]>,
  ): Promise<readonly ItemResult[]> {
    const { transaction, journal } = this.#settings;
    if (transaction === undefined) throw new Error("The storage has no transactions.");
    return transaction(async (tx) => {
      const known = await journal?.recall(tx, first);
      if (known !== undefined) return this.#fit(known, first);
      await this.#work.lock?.(ready, tx);
      const results = await write(tx);
      await this.#keep(tx, first, results);
      return results;
    });
  }

  #fit(results: readonly ItemResult[], first: number): readonly ItemResult[] {
    return this.#work.fit?.(results, first) ?? results;
  }

  async #keep(tx: Storage | undefined, first: number, results: readonly ItemResult[]): Promise<void> {
    try {
      await this.#settings.journal?.keep(tx, first, results);
    } catch (error) {
      throw error instanceof Retryable || error instanceof Unavailable
        ? error
        : new JournalFault("The journal does not accept entries.", { cause: error });
    }
  }

  #failOne(error: unknown, items: readonly Item[]): ItemResult {
    if (isRefusal(error)) return failedItem(error, this.#settings.problems);
    const [result] = this.#fail(error, items);
    if (result === undefined) throw error;
    return result;
  }

  /** Whether a job or another attempt of the request executes the rest, and the items that may have been written, under the same ids. */
  get #isContinued(): boolean {
    return this.#settings.goesOnLater === true || this.#settings.isKeyed === true;
  }

  /** An error that the client did not cause: if nothing has been written, the whole request fails; otherwise each remaining item fails. */
  #fail(error: unknown, items: readonly Item[]): readonly ItemResult[] {
    const isOfStorage = error instanceof Unavailable || error instanceof Retryable;
    if (isOfStorage && this.#isContinued) throw error;
    if (!this.#settings.goesOnLater && !this.#somethingWritten) throw error;
    const result = this.#settings.fault(error);
    // A hook that takes too long would do so for each of the other items.
    if (error instanceof Unavailable || (error instanceof ProblemError && error.code === "HOOK_TIMEOUT")) this.#down = result;
    return items.map(() => result);
  }
}

function requireFinal(written: ReturnType<typeof mergeResults>): readonly ItemResult[] {
  return written.map((result) => {
    if (result === again) throw new ValidateAgain();
    return result;
  });
}
