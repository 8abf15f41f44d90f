import { asProblem } from "../../../engine/operation/faults/asProblem.js";
import { pooledRandom } from "../../../engine/operation/random.js";
import { errorOfWrite } from "../../../engine/operation/transaction/outcomeUnknown.js";
import { type RetryOptions, retrying } from "../../../engine/operation/work/retry.js";
import { systemTimers, type Timers } from "../../../ground/http/timers.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import { callable, having, oneOf, optionsCheck, strict, text, timers as timersSchema } from "../../../ground/options/index.js";
import { isRefusal, ProblemError } from "../../../ground/problem/index.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { BatchOutcome, BatchSettings } from "../plan/settings.js";
import { executeAtomic } from "./atomic.js";
import { executeBestEffort } from "./bestEffort.js";
import { failedItem, type ItemProblems, notProcessedItem } from "./items/failedItem.js";
import { validateItem } from "./items/validateItem.js";
import { type BatchMode, type BatchResult, batchResult, hasFailed, type ItemResult } from "./results/result.js";
import type { SliceWork } from "./slices.js";

/** What `run` receives with an item. */
export interface ItemCall {
  readonly index: number;
  /** The storage to write to: in an atomic batch the transaction that all items share, otherwise the storage that was passed. */
  readonly storage: Storage | undefined;
}

export interface ExecuteBatchOptions<Item> {
  /** `best-effort`: items fail separately. `atomic`: all items commit, or none. */
  readonly mode: BatchMode;
  /** Where the items are written. An atomic batch requires a storage with transactions. */
  readonly storage?: Storage | undefined;
  /** Executes one item. A {@link ProblemError} below 500 becomes the result of the item. */
  run(item: Item, call: ItemCall): Promise<ItemResult>;
  /** Validates an item before any item is executed. In an atomic batch, one rejected item ends the batch. @throws {ProblemError} */
  check?(item: Item, index: number): void | Promise<void>;
  /** The request id that problems of items contain. */
  readonly requestId?: string | undefined;
  /** Called before each item: `true` ends the batch, and the remaining items get 503 NOT_PROCESSED. */
  readonly timeIsOver?: (() => boolean) | undefined;
  /** Timers of delays between retries. Defaults to those of the system. */
  readonly timers?: Timers | undefined;
  /** Numbers from 0 to 1, for delays between retries. Defaults to those of `node:crypto`. */
  readonly random?: (() => number) | undefined;
}

const checkOptions = /* @__PURE__ */ optionsCheck("executeBatch", () =>
  strict<ExecuteBatchOptions<unknown>>(
    {
      mode: oneOf("best-effort", "atomic"),
      storage: having("a Storage", "collection"),
      run: callable(),
      check: callable(),
      requestId: text(),
      timeIsOver: callable(),
      timers: timersSchema(),
      random: callable(),
    },
    ["mode", "run"],
  ),
);

/** The outcome of a batch: status 200 if all items succeeded, 207 if one failed, 422 if an atomic batch was rolled back. */
export interface ExecutedBatch extends BatchResult {
  readonly status: 200 | 207 | 422;
  /** `false` if the time ended first. */
  readonly finished: boolean;
}

/**
 * Executes items in order and returns one result for each.
 *
 * @throws {ProblemError} EMPTY_BATCH, ATOMIC_UNSUPPORTED
 * @throws any other error of `run`, if nothing has been executed yet or the batch is atomic. An `Unavailable` that does not say `wroteNothing` may have executed its item
 * @example
 * const batch = await executeBatch(names, {
 *   mode: "best-effort",
 *   run: async (name) => ({ status: 201, id: await addUser(name) }),
 * });
 */
export async function executeBatch<Item>(items: readonly Item[], options: ExecuteBatchOptions<Item>): Promise<ExecutedBatch> {
  checkOptions(options);
  const { mode, storage, requestId = "batch", timeIsOver, timers = systemTimers, random = pooledRandom() } = options;
  if (items.length === 0) throw new ProblemError("EMPTY_BATCH", "The batch has no items.");
  const problems = { requestId };
  const retry: RetryOptions = { timers, random };
  const fault = (error: unknown) => failedItem(asProblem(error), problems);
  const begin = storage?.transaction?.bind(storage);
  const transaction: BatchSettings["transaction"] = begin && ((write) => retrying(() => begin(write), retry));
  const settings: BatchSettings = { transaction, problems, retry, writeRetries: 0, timeIsOver, fault };
  const execute = mode === "atomic" ? executeAtomic : executeBestEffort;
  return answered(await execute(items, oneByOne(options, problems), settings), mode, items.length, problems);
}

function oneByOne<Item>({ run, check, storage }: ExecuteBatchOptions<Item>, problems: ItemProblems): SliceWork<Item, Item> {
  const resultOf = async (does: () => Promise<ItemResult>, tx: Storage | undefined): Promise<ItemResult> => {
    try {
      return await does();
    } catch (error) {
      if (isRefusal(error)) return failedItem(error, problems);
      throw tx === undefined ? errorOfWrite(error) : error;
    }
  };
  return {
    sliceItems: 1,
    commitsItself: true,
    validate: (items, first) =>
      mapInTurns(items, (item, offset) =>
        validateItem(problems, async () => {
          await check?.(item, first + offset);
          return item;
        }),
      ),
    write: (items, tx) => mapInTurns(items, ({ ready, index }) => resultOf(() => run(ready, { index, storage: tx ?? storage }), tx)),
  };
}

function answered({ kind, results }: BatchOutcome, mode: BatchMode, total: number, problems: ItemProblems): ExecutedBatch {
  if (kind === "out-of-time" && mode === "atomic") {
    throw new ProblemError("NOT_PROCESSED", "The batch timed out; nothing was done.", { headers: { "retry-after": "5" } });
  }
  const left = Array.from({ length: total - results.length }, () => notProcessedItem(problems));
  const all = [...results, ...left];
  const status = kind === "rolled-back" ? 422 : all.some(hasFailed) ? 207 : 200;
  return { status, finished: kind !== "out-of-time", ...batchResult(all) };
}
