import { yieldToEventLoop } from "../../http/yieldToEventLoop.js";
import { ChangedInTransaction } from "../../operation/changedInTransaction.js";
import { pauseBefore, retrying } from "../../operation/work/retry.js";
import { ProblemError } from "../../problem/index.js";
import { writeConflict } from "../../resource/write/conflict.js";
import { Retryable } from "../../storage/errors.js";
import type { Storage } from "../../storage/storage.js";
import type { BatchOutcome, BatchSettings } from "../plan/settings.js";
import { failedItem, type ItemProblems, rolledBackItem } from "./failedItem.js";
import { hasFailed, type ItemResult } from "./result.js";
import { again, mergeResults, readyItems, type SliceWork, type Validation, type Written } from "./slices.js";

/** Carries the results out of a transaction that is rolled back. */
class RollBack extends Error {
  readonly results: readonly Written[];

  constructor(results: readonly Written[]) {
    super("An item of an atomic batch failed.");
    this.results = results;
  }
}

class OutOfTime extends Error {}

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
  const { storage, problems, retry, writeRetries } = settings;
  const transaction = storage?.transaction?.bind(storage);
  if (transaction === undefined) throw new ProblemError("ATOMIC_UNSUPPORTED", "The storage has no transactions: a batch cannot be atomic.");
  for (let attempt = 0; ; attempt++) {
    const validated = await validateAll(items, work, settings);
    if (validated === undefined) return { kind: "out-of-time", results: [] };
    const found = validated.flat().map((validation) => ("result" in validation ? validation.result : undefined));
    if (found.some((result) => result !== undefined && hasFailed(result))) return rolledBack(found, items.length, problems);
    try {
      const results = await retrying(() => transaction((tx) => writeAll(tx, validated, work, settings)), retry);
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
    validated.push(await validate(items.slice(first, first + sliceItems), first));
    await yieldToEventLoop();
  }
  return validated;
}

async function writeAll<Item, Ready>(
  tx: Storage,
  validated: readonly (readonly Validation<Ready>[])[],
  work: SliceWork<Item, Ready>,
  { timeIsOver, seal }: BatchSettings,
): Promise<readonly ItemResult[]> {
  const results: ItemResult[] = [];
  await work.lock?.(readyItems(validated.flat(), 0), tx);
  for (const validations of validated) {
    if (timeIsOver?.()) throw new OutOfTime();
    const written = mergeResults(validations, await work.write(readyItems(validations, results.length), tx));
    // After a failure the transaction is rolled back anyway, so later items are not written.
    if (written.some((result) => result === again || hasFailed(result))) throw new RollBack([...results, ...written]);
    for (const result of written) if (result !== again) results.push(result);
  }
  await seal?.(tx, results);
  return results;
}

/** An item that would have to be validated again, after another item failed, is rolled back like the rest. */
function withoutAgain(results: readonly Written[]): readonly (ItemResult | undefined)[] {
  return results.map((result) => (result === again ? undefined : result));
}

/** Every attempt conflicted with another transaction. */
function lostRace(cause: Retryable): ProblemError {
  const detail = "Other requests changed the same rows at the same time, and nothing was done; try again.";
  return new ProblemError("WRITE_CONFLICT", detail, { headers: { "retry-after": "1" }, cause });
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
