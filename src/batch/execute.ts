import { systemTimers, type Timers } from "../http/timers.js";
import { asProblem } from "../operation/asProblem.js";
import { inTurns } from "../operation/inTurns.js";
import { pooledRandom } from "../operation/random.js";
import type { RetryOptions } from "../operation/retry.js";
import { ProblemError } from "../problem/index.js";
import type { Storage } from "../storage/storage.js";
import { executeAtomic } from "./atomic.js";
import { executeBestEffort } from "./bestEffort.js";
import { failedItem, type ItemProblems, notProcessedItem } from "./failedItem.js";
import { judgeItem } from "./judgeItem.js";
import { type BatchMode, type BatchResult, batchResult, hasFailed, type ItemResult } from "./result.js";
import type { BatchOutcome, BatchSettings } from "./settings.js";
import type { SliceWork } from "./slices.js";

/** What comes with an item that is to be done. */
export interface ItemCall {
  readonly index: number;
  /** Write on this: in an atomic batch it is the transaction that all items share, otherwise the storage that was given. */
  readonly storage: Storage | undefined;
}

export interface BatchOptions<Item> {
  /** Items fail each for itself, or all together. */
  readonly mode: BatchMode;
  /** Where the items are written. An atomic batch needs one with transactions. */
  readonly storage?: Storage | undefined;
  /** Does one item. A {@link ProblemError} below 500 that it throws becomes the item's result. */
  run(item: Item, call: ItemCall): Promise<ItemResult>;
  /** Looks at an item before any is done; in an atomic batch one that it refuses ends all. @throws {ProblemError} */
  check?(item: Item, index: number): void | Promise<void>;
  /** Stands in the problems of items. */
  readonly requestId?: string | undefined;
  /** Asked before each item: `true` ends the batch, and items that were not begun are 503 NOT_PROCESSED. */
  readonly timeIsOver?: (() => boolean) | undefined;
  readonly timers?: Timers | undefined;
  readonly random?: (() => number) | undefined;
}

/** A batch as it is answered: 200 where all items succeeded, 207 where one failed, 422 where an atomic batch was rolled back. */
export interface ExecutedBatch extends BatchResult {
  readonly status: 200 | 207 | 422;
  /** `false` where the time was over first. */
  readonly finished: boolean;
}

/**
 * Does many items one after the other and answers a result for each, in their order.
 *
 * @throws {ProblemError} EMPTY_BATCH, ATOMIC_UNSUPPORTED
 * @throws whatever `run` throws that is no problem of the client's, where nothing has been done yet or the batch is atomic
 * @example
 * const batch = await executeBatch(names, {
 *   mode: "best-effort",
 *   run: async (name) => ({ status: 201, id: await addUser(name) }),
 * });
 */
export async function executeBatch<Item>(items: readonly Item[], options: BatchOptions<Item>): Promise<ExecutedBatch> {
  const { mode, storage, requestId = "batch", timeIsOver, timers = systemTimers, random = pooledRandom() } = options;
  if (items.length === 0) throw new ProblemError("EMPTY_BATCH", "The batch has no items.");
  const problems = { requestId };
  const retry: RetryOptions = { timers, random };
  const fault = (error: unknown) => failedItem(asProblem(error), problems);
  const settings: BatchSettings = { storage, problems, retry, writeRetries: 0, timeIsOver, fault };
  const execute = mode === "atomic" ? executeAtomic : executeBestEffort;
  return answered(await execute(items, oneByOne(options, problems), settings), mode, items.length, problems);
}

function oneByOne<Item>({ run, check, storage }: BatchOptions<Item>, problems: ItemProblems): SliceWork<Item, Item> {
  const settle = async (does: () => Promise<ItemResult>): Promise<ItemResult> => {
    try {
      return await does();
    } catch (error) {
      if (error instanceof ProblemError && error.status < 500) return failedItem(error, problems);
      throw error;
    }
  };
  return {
    sliceItems: 1,
    commitsItself: true,
    judge: (items, first) =>
      inTurns(items, (item, offset) =>
        judgeItem(problems, async () => {
          await check?.(item, first + offset);
          return item;
        }),
      ),
    write: (items, tx) => inTurns(items, ({ ready, index }) => settle(() => run(ready, { index, storage: tx ?? storage }))),
  };
}

function answered({ kind, results }: BatchOutcome, mode: BatchMode, total: number, problems: ItemProblems): ExecutedBatch {
  if (kind === "out-of-time" && mode === "atomic") {
    throw new ProblemError("NOT_PROCESSED", "The time for the batch was over; nothing was done.", { headers: { "retry-after": "5" } });
  }
  const left = Array.from({ length: total - results.length }, () => notProcessedItem(problems));
  const all = [...results, ...left];
  const status = kind === "rolled-back" ? 422 : all.some(hasFailed) ? 207 : 200;
  return { status, finished: kind !== "out-of-time", ...batchResult(all) };
}
