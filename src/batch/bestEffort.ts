import { setImmediate as turn } from "node:timers/promises";
import { itemsATurn } from "../operation/inTurns.js";
import { pauseBefore, retrying } from "../operation/retry.js";
import { ProblemError } from "../problem/index.js";
import { writeConflict } from "../resource/conflict.js";
import { Retryable, Unavailable } from "../storage/errors.js";
import type { Storage } from "../storage/storage.js";
import { failedItem } from "./failedItem.js";
import type { ItemResult } from "./result.js";
import type { BatchOutcome, BatchSettings } from "./settings.js";
import { again, mergeResults, readyItems, type SliceWork } from "./slices.js";

/** An item of the slice has changed since it was judged: the slice is undone. */
class JudgeAgain extends Error {}

/** The journal refuses: what was written must not commit, and nobody may go on. */
class JournalFault extends Error {}

/**
 * Does items slice by slice, each in a transaction of its own; a failed item keeps its neighbours.
 *
 * @param place of the first item in its batch
 * @throws whatever kept the very first items from being done: then nothing has been written
 */
export async function executeBestEffort<Item, Ready>(
  items: readonly Item[],
  work: SliceWork<Item, Ready>,
  settings: BatchSettings,
  place = 0,
): Promise<BatchOutcome> {
  const results: ItemResult[] = [];
  const slices = new Slices(work, settings);
  let sinceTurn = 0;
  for (let first = 0; first < items.length; first = results.length) {
    if (settings.timeIsOver?.()) return { kind: "out-of-time", results };
    results.push(...(await slices.perform(items.slice(first, first + slices.size), place + first)));
    sinceTurn += results.length - first;
    if (sinceTurn < itemsATurn) continue;
    sinceTurn = 0;
    await turn();
  }
  return { kind: "done", results };
}

/** The slices of one batch, one after the other. */
class Slices<Item, Ready> {
  readonly size: number;
  readonly #work: SliceWork<Item, Ready>;
  readonly #settings: BatchSettings;
  /** Whether slices are written without a transaction. */
  readonly #standsAlone: boolean;
  #somethingWritten = false;
  /** Once the store is down, nobody waits for it again. */
  #down: ItemResult | undefined;

  constructor(work: SliceWork<Item, Ready>, settings: BatchSettings) {
    this.#work = work;
    this.#settings = settings;
    const hasTransactions = settings.storage?.transaction !== undefined;
    this.#standsAlone = work.commitsItself || !hasTransactions;
    this.size = work.commitsItself || hasTransactions ? work.sliceItems : 1;
  }

  async perform(items: readonly Item[], first: number): Promise<readonly ItemResult[]> {
    const down = this.#down;
    if (down !== undefined) return items.map(() => down);
    if (items.length === 1) return this.#performOne(items, first);
    try {
      return await this.#commit(items, first);
    } catch (error) {
      if (error instanceof JournalFault) throw error.cause;
      if (error instanceof Unavailable) return this.#fail(error, items);
    }
    // Something in the slice stands in the way of all of it: one by one only that item fails.
    const results: ItemResult[] = [];
    while (results.length < items.length) {
      const next = items.slice(results.length, results.length + 1);
      results.push(...(this.#down === undefined ? await this.#performOne(next, first + results.length) : [this.#down]));
    }
    return results;
  }

  /** The result of an item; those of a whole slice, where an earlier try has committed one that begins with it. */
  async #performOne(items: readonly Item[], index: number): Promise<readonly ItemResult[]> {
    const { writeRetries, retry, problems } = this.#settings;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#commit(items, index);
      } catch (error) {
        if (error instanceof JournalFault) throw error.cause;
        if (!(error instanceof JudgeAgain)) return this.#keepFailed(index, this.#failOne(error, items));
        if (attempt === writeRetries) return this.#keepFailed(index, failedItem(writeConflict(attempt + 1), problems));
      }
      await pauseBefore(attempt, retry);
    }
  }

  async #keepFailed(index: number, result: ItemResult): Promise<readonly ItemResult[]> {
    await this.#settings.journal?.keepFailed?.(index, result);
    return [result];
  }

  async #commit(items: readonly Item[], first: number): Promise<readonly ItemResult[]> {
    const { retry, journal } = this.#settings;
    const judgements = await this.#work.judge(items, first);
    const ready = readyItems(judgements, first);
    const write = async (tx: Storage | undefined) => settled(mergeResults(judgements, ready.length === 0 ? [] : await this.#work.write(ready, tx)));
    const alone = this.#standsAlone || (journal === undefined && (this.#work.isOneCall || ready.length === 0));
    const results = alone ? await write(undefined) : await retrying(() => this.#inTransaction(first, write), retry);
    this.#somethingWritten ||= ready.length > 0;
    if (alone) await this.#keep(undefined, first, results);
    return results;
  }

  async #inTransaction(first: number, write: (tx: Storage) => Promise<readonly ItemResult[]>): Promise<readonly ItemResult[]> {
    const { storage, journal } = this.#settings;
    if (storage?.transaction === undefined) throw new Error("The storage has no transactions.");
    return storage.transaction(async (tx) => {
      const known = await journal?.recall(tx, first);
      if (known !== undefined) return known;
      const results = await write(tx);
      await this.#keep(tx, first, results);
      return results;
    });
  }

  async #keep(tx: Storage | undefined, first: number, results: readonly ItemResult[]): Promise<void> {
    try {
      await this.#settings.journal?.keep(tx, first, results);
    } catch (error) {
      throw error instanceof Retryable || error instanceof Unavailable ? error : new JournalFault("The journal refuses.", { cause: error });
    }
  }

  #failOne(error: unknown, items: readonly Item[]): ItemResult {
    if (error instanceof ProblemError && error.status < 500) return failedItem(error, this.#settings.problems);
    const [result] = this.#fail(error, items);
    if (result === undefined) throw error;
    return result;
  }

  /** A fault of ours: with nothing written yet the whole request may fail, later each item for itself. */
  #fail(error: unknown, items: readonly Item[]): readonly ItemResult[] {
    const isOfStorage = error instanceof Unavailable || error instanceof Retryable;
    if (this.#settings.goesOnLater ? isOfStorage : !this.#somethingWritten) throw error;
    const result = this.#settings.fault(error);
    if (error instanceof Unavailable) this.#down = result;
    return items.map(() => result);
  }
}

function settled(written: ReturnType<typeof mergeResults>): readonly ItemResult[] {
  return written.map((result) => {
    if (result === again) throw new JudgeAgain();
    return result;
  });
}
