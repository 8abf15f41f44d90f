import type { Timers } from "../../../ground/http/timers.js";
import type { Call, Collection, InsertCall, InsertManyOptions, NewRow, Row, RowPatch, RowUpdate } from "../../../ground/storage/collection.js";
import { type RemoveCall, RowsOver, type UpdateCall } from "../../../ground/storage/completed/rowsOver.js";
import { Retryable } from "../../../ground/storage/errors.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Random } from "../random.js";
import { errorOfWrite } from "../transaction/outcomeUnknown.js";

/** What a retry needs: timers for the pause, and random numbers so that concurrent retries do not pause equally long. */
export interface RetryOptions {
  readonly timers: Timers;
  readonly random: Random;
}

const maxRetries = 3;
const firstPauseMs = 10;

/**
 * Retries a write that failed because of a conflict (`Retryable`): at most three times, after a pause that doubles each time and is randomized.
 * Nothing has been written when a store throws `Retryable`, so running again is safe.
 *
 * @param run gets 0 in its first run
 * @throws {Retryable} if the last attempt fails too
 */
export async function retrying<R>(run: (retry: number) => Promise<R>, options: RetryOptions): Promise<R> {
  for (let retry = 0; ; retry++) {
    try {
      return await run(retry);
    } catch (error) {
      if (retry === maxRetries || !(error instanceof Retryable)) throw error;
      await pauseBefore(retry, options);
    }
  }
}

/** The rows outside of transactions: single writes are retried, and a write that may have been done although it failed says so. */
export class RetryingRows extends RowsOver {
  readonly #options: RetryOptions;

  constructor(rows: Required<Collection>, options: RetryOptions) {
    super(rows);
    this.#options = options;
  }

  override insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    return retrying(() => this.rows.insert(row, call), this.#options).catch(failed);
  }

  override insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return this.rows.insertMany(rows, call).catch(failed);
  }

  override update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    return retrying(() => this.rows.update(id, patch, call), this.#options).catch(failed);
  }

  override updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    return this.rows.updateEach(updates, call).catch(failed);
  }

  override updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    return this.rows.updateMany(filter, patch, call).catch(failed);
  }

  override remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    return retrying(() => this.rows.remove(id, call), this.#options).catch(failed);
  }

  override removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    return this.rows.removeMany(filter, call).catch(failed);
  }
}

function failed(error: unknown): never {
  throw errorOfWrite(error);
}

/** Waits before a retry (the first is 0): 10 ms, doubled each time, varied by up to 50 %. */
export function pauseBefore(retry: number, { timers, random }: RetryOptions): Promise<void> {
  return new Promise((resolve) => {
    timers.setTimeout(resolve, firstPauseMs * 2 ** retry * (0.5 + random()));
  });
}
