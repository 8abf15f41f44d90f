import type { RetryOptions } from "../../../engine/operation/work/retry.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { ItemProblems } from "../execute/items/failedItem.js";
import type { ItemResult } from "../execute/results/result.js";
import type { SliceJournal } from "../execute/slices.js";

/** Settings of the execution of a batch. */
export interface BatchSettings {
  /** Runs transactions that contain the writes, and runs them again after a conflict; `undefined` if the storage has none. */
  readonly transaction?: (<R>(run: (tx: Storage) => Promise<R>) => Promise<R>) | undefined;
  /** How often an item whose row changes during the write is validated again. */
  readonly writeRetries: number;
  readonly retry: RetryOptions;
  readonly problems: ItemProblems;
  /** Called before each slice: `true` ends the batch there. */
  readonly timeIsOver?: (() => boolean) | undefined;
  /** Runs in the transaction of an atomic batch, before it commits. */
  readonly seal?: ((tx: Storage, results: readonly ItemResult[]) => Promise<void>) | undefined;
  /** The results of earlier attempts of a best-effort batch. */
  readonly journal?: SliceJournal | undefined;
  /** Whether the request has an Idempotency-Key: an unavailable store ends it with an error, and the next request with the key continues it. */
  readonly isKeyed?: boolean | undefined;
  /** Whether an unavailable store ends the batch with an error, because a job continues it. */
  readonly goesOnLater?: boolean | undefined;
  /** The result of an item that failed for a reason other than the client, after other items had been executed; also logs the error. */
  readonly fault: (error: unknown) => ItemResult;
}

/**
 * How a batch ended. `done`: every item was processed. `rolled-back`: an item of an atomic batch failed, and nothing was written. `out-of-time`:
 * the results are those of the items that were processed; an atomic batch has none.
 */
export interface BatchOutcome {
  readonly kind: "done" | "rolled-back" | "out-of-time";
  readonly results: readonly ItemResult[];
}
