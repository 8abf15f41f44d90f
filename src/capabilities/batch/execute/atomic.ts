import { lostRace } from "../../../engine/operation/faults/asProblem.js";
import { pauseBefore } from "../../../engine/operation/work/retry.js";
import { ChangedInTransaction } from "../../../engine/operation/write/changedInTransaction.js";
import { writeConflict } from "../../../engine/resource/write/conflict.js";
import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { Retryable } from "../../../ground/storage/errors.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { BatchOutcome, BatchSettings } from "../plan/settings.js";
import { failedItem, type ItemProblems, rolledBackItem } from "./items/failedItem.js";
import { hasFailed, type ItemResult } from "./results/result.js";
import { again, mergeResults, type ReadyItem, readyItems, type SliceWork, type Validation, type Written } from "./slices.js";

/** Carries the results out of a transaction that is rolled back. */
class RollBack extends Error {
  readonly results: readonly Written[];

  constructor(results: readonly Written[]) {
    super("An item of an atomic batch failed.");
    this.results = results;
  }
}

class OutOfTime extends Error {}

/** An item of a slice was refused in a way that does not tell which: a hook had used the transaction. The slice is written again, item by item. */
class RefusedSlice extends Error {
  readonly slice: object;

  constructor(slice: object, options: ErrorOptions) {
    super("An item of a slice was refused.", options);
    this.slice = slice;
  }
}

/**
 * Executes all items in one transaction, or none. All items are validated before the transaction begins.
 *
 * @throws {ProblemError} ATOMIC_UNSUPPORTED if the storage has no transactions
 */
export async function executeAtomic<Item, Ready>(
  items: readonly Item[],
  work: SliceWork<Item, Ready>,
  settings: BatchSettings,
): Promise<BatchOutcome> {
  const { transaction, problems, retry, writeRetries } = settings;
  if (transaction === undefined) throw new ProblemError("ATOMIC_UNSUPPORTED", "The storage has no transactions: a batch cannot be atomic.");
  for (let attempt = 0; ; attempt++) {
    const validated = await validateAll(items, work, settings);
    if (validated === undefined) return { kind: "out-of-time", results: [] };
    const found = validated.flat().map((validation) => ("result" in validation ? validation.result : undefined));
    if (found.some((result) => result !== undefined && hasFailed(result))) return rolledBack(found, items.length, problems);
    try {
      const results = await writeNamingItems((slices) => transaction((tx) => writeAll(tx, validated, work, settings, slices)));
      return { kind: "done", results };
    } catch (error) {
      if (error instanceof OutOfTime) return { kind: "out-of-time", results: [] };
      // A job is retried later by its runner.
      if (error instanceof Retryable && settings.goesOnLater !== true) throw lostRace(error);
      if (!(error instanceof RollBack || error instanceof ChangedInTransaction)) throw error;
      const results = error instanceof RollBack ? error.results : items.map((): Written => again);
      const failed = results.some((result) => result !== again && hasFailed(result));
      if (failed || attempt === writeRetries)
        return rolledBack(failed ? withoutAgain(results) : lost(results, attempt + 1, problems), items.length, problems);
    }
    await pauseBefore(attempt, retry);
  }
}

async function validateAll<Item, Ready>(
  items: readonly Item[],
  { validate, sliceItems }: SliceWork<Item, Ready>,
  { timeIsOver }: BatchSettings,
): Promise<(readonly Validation<Ready>[])[] | undefined> {
  const validated: (readonly Validation<Ready>[])[] = [];
  for (let first = 0; first < items.length; first += sliceItems) {
    if (timeIsOver?.()) return undefined;
    validated.push(await validate(items.slice(first, first + sliceItems), first, true));
    await yieldToEventLoop();
  }
  return validated;
}

/** Runs the transaction again for each slice that must be written item by item, so that the refused item is known. */
async function writeNamingItems<R>(write: (slices: ReadonlySet<object>) => Promise<R>): Promise<R> {
  const slices = new Set<object>();
  for (;;) {
    try {
      return await write(slices);
    } catch (error) {
      if (!(error instanceof RefusedSlice)) throw error;
      slices.add(error.slice);
    }
  }
}

/** @param itemByItem the slices whose items are written one by one */
async function writeAll<Item, Ready>(
  tx: Storage,
  validated: readonly (readonly Validation<Ready>[])[],
  work: SliceWork<Item, Ready>,
  { timeIsOver, seal, problems }: BatchSettings,
  itemByItem: ReadonlySet<object>,
): Promise<readonly ItemResult[]> {
  const results: ItemResult[] = [];
  await work.lock?.(readyItems(validated.flat(), 0), tx);
  for (const validations of validated) {
    if (timeIsOver?.()) throw new OutOfTime();
    const ready = readyItems(validations, results.length);
    const write = (items: readonly ReadyItem<Ready>[]) => writeSlice(validations, items, tx, work, problems);
    const written = mergeResults(validations, itemByItem.has(validations) ? await writeEach(ready, write, problems) : await write(ready));
    // After a failure the transaction is rolled back anyway, so later items are not written.
    if (written.some((result) => result === again || hasFailed(result))) throw new RollBack([...results, ...written]);
    const final = written.filter((result) => result !== again);
    results.push(...(work.fit?.(final, results.length) ?? final));
  }
  await seal?.(tx, results);
  return results;
}

/** @throws {RefusedSlice} if it is not known which of several items was refused */
async function writeSlice<Item, Ready>(
  slice: object,
  items: readonly ReadyItem<Ready>[],
  tx: Storage,
  work: SliceWork<Item, Ready>,
  problems: ItemProblems,
): Promise<readonly Written[]> {
  try {
    return await work.write(items, tx);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error;
    if (items.length > 1) throw new RefusedSlice(slice, { cause: error });
    return [failedItem(error, problems)];
  }
}

/** Writes the items one by one, up to the first that fails. */
async function writeEach<Ready>(
  items: readonly ReadyItem<Ready>[],
  write: (items: readonly ReadyItem<Ready>[]) => Promise<readonly Written[]>,
  problems: ItemProblems,
): Promise<readonly Written[]> {
  const written: Written[] = [];
  for (const item of items) {
    const results = await write([item]);
    written.push(...results);
    if (results.some((result) => result === again || hasFailed(result))) break;
  }
  const fallen = rolledBackItem(problems);
  return items.map((_, index) => written[index] ?? fallen);
}

/** An item that would have to be validated again, after another item failed, is rolled back like the rest. */
function withoutAgain(results: readonly Written[]): readonly (ItemResult | undefined)[] {
  return results.map((result) => (result === again ? undefined : result));
}

function lost(results: readonly Written[], attempts: number, problems: ItemProblems): readonly ItemResult[] {
  return results.map((result) => (result === again ? failedItem(writeConflict(attempts), problems) : result));
}

/** Items that did not fail themselves are reported as rolled back. */
function rolledBack(found: readonly (ItemResult | undefined)[], total: number, problems: ItemProblems): BatchOutcome {
  const fallen = rolledBackItem(problems);
  const results = Array.from({ length: total }, (_, index) => {
    const result = found[index];
    return result !== undefined && hasFailed(result) ? result : fallen;
  });
  return { kind: "rolled-back", results };
}
