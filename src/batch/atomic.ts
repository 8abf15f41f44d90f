import { setImmediate as turn } from "node:timers/promises";
import { pauseBefore, retrying } from "../operation/retry.js";
import { ProblemError } from "../problem/index.js";
import { writeConflict } from "../resource/conflict.js";
import type { Storage } from "../storage/storage.js";
import { failedItem, type ItemProblems, rolledBackItem } from "./failedItem.js";
import { hasFailed, type ItemResult } from "./result.js";
import type { BatchOutcome, BatchSettings } from "./settings.js";
import { again, type Judgement, mergeResults, readyItems, type SliceWork, type Written } from "./slices.js";

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
 * Does all items in one transaction, or none. All are judged before it begins.
 *
 * @throws {ProblemError} ATOMIC_UNSUPPORTED where the storage has no transactions
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
    const judged = await judgeAll(items, work, settings);
    if (judged === undefined) return { kind: "out-of-time", results: [] };
    const found = judged.flat().map((judgement) => ("result" in judgement ? judgement.result : undefined));
    if (found.some((result) => result !== undefined && hasFailed(result))) return rolledBack(found, items.length, problems);
    try {
      const results = await retrying(() => transaction((tx) => writeAll(tx, judged, work, settings)), retry);
      return { kind: "done", results };
    } catch (error) {
      if (error instanceof OutOfTime) return { kind: "out-of-time", results: [] };
      if (!(error instanceof RollBack)) throw error;
      const { results } = error;
      const failed = results.some((result) => result !== again && hasFailed(result));
      if (failed || attempt === writeRetries)
        return rolledBack(failed ? withoutAgain(results) : lost(results, attempt + 1, problems), items.length, problems);
    }
    await pauseBefore(attempt, retry);
  }
}

async function judgeAll<Item, Ready>(
  items: readonly Item[],
  { judge, sliceItems }: SliceWork<Item, Ready>,
  { timeIsOver }: BatchSettings,
): Promise<(readonly Judgement<Ready>[])[] | undefined> {
  const judged: (readonly Judgement<Ready>[])[] = [];
  for (let first = 0; first < items.length; first += sliceItems) {
    if (timeIsOver?.()) return undefined;
    judged.push(await judge(items.slice(first, first + sliceItems), first));
    await turn();
  }
  return judged;
}

async function writeAll<Item, Ready>(
  tx: Storage,
  judged: readonly (readonly Judgement<Ready>[])[],
  work: SliceWork<Item, Ready>,
  { timeIsOver, seal }: BatchSettings,
): Promise<readonly ItemResult[]> {
  const results: ItemResult[] = [];
  for (const judgements of judged) {
    if (timeIsOver?.()) throw new OutOfTime();
    const written = mergeResults(judgements, await work.write(readyItems(judgements, results.length), tx));
    // What comes behind a failure would be done for nothing.
    if (written.some((result) => result === again || hasFailed(result))) throw new RollBack([...results, ...written]);
    for (const result of written) if (result !== again) results.push(result);
  }
  await seal?.(tx, results);
  return results;
}

/** An item that has to be judged again behind one that failed falls with it. */
function withoutAgain(results: readonly Written[]): readonly (ItemResult | undefined)[] {
  return results.map((result) => (result === again ? undefined : result));
}

function lost(results: readonly Written[], attempts: number, problems: ItemProblems): readonly ItemResult[] {
  return results.map((result) => (result === again ? failedItem(writeConflict(attempts), problems) : result));
}

/** Every item that did not fail itself falls with those that did. */
function rolledBack(found: readonly (ItemResult | undefined)[], total: number, problems: ItemProblems): BatchOutcome {
  const fallen = rolledBackItem(problems);
  const results = Array.from({ length: total }, (_, index) => {
    const result = found[index];
    return result !== undefined && hasFailed(result) ? result : fallen;
  });
  return { kind: "rolled-back", results };
}
