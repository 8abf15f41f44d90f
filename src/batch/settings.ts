import type { RetryOptions } from "../operation/retry.js";
import type { Storage } from "../storage/storage.js";
import type { ItemProblems } from "./failedItem.js";
import type { ItemResult } from "./result.js";
import type { SliceJournal } from "./slices.js";

/** What holds for the whole of a batch. */
export interface BatchSettings {
  /** Whose transactions the items are written in. */
  readonly storage?: Pick<Storage, "transaction"> | undefined;
  /** How often an item is judged again that changed while it was being written. */
  readonly writeRetries: number;
  readonly retry: RetryOptions;
  readonly problems: ItemProblems;
  /** Asked before each slice: `true` ends the batch there. */
  readonly timeIsOver?: (() => boolean) | undefined;
  /** Commits with an atomic batch. */
  readonly seal?: ((tx: Storage, results: readonly ItemResult[]) => Promise<void>) | undefined;
  /** What earlier tries of a best-effort batch have come to. */
  readonly journal?: SliceJournal | undefined;
  /** A store that is down ends the batch, since it will be gone on with. */
  readonly goesOnLater?: boolean | undefined;
  /** The result of an item that failed by no fault of the client, after others had been done; the place to log it. */
  readonly fault: (error: unknown) => ItemResult;
}

/**
 * How a batch ended. `done`: every item was processed. `rolled-back`: an item of an atomic batch failed, and nothing was written. `out-of-time`:
 * the results are those of the items that were done; of an atomic batch none were.
 */
export interface BatchOutcome {
  readonly kind: "done" | "rolled-back" | "out-of-time";
  readonly results: readonly ItemResult[];
}
