import type { Refusal } from "./outcome.js";

/** The classes carry a brand, so that `instanceof` holds across two copies of the package. */
const retryable = Symbol.for("restwright.storage.Retryable");
const queryTimeout = Symbol.for("restwright.storage.QueryTimeout");
const unavailable = Symbol.for("restwright.storage.Unavailable");
const rowTooLarge = Symbol.for("restwright.storage.RowTooLarge");
const writeRefused = Symbol.for("restwright.storage.WriteRefused");

/** Options of {@link Retryable}. */
export interface RetryableOptions extends ErrorOptions {
  /** Whether another transaction was in the way: if it still is when the retries are over, the core responds 409 WRITE_CONFLICT, otherwise 503 (`false`). */
  readonly isConflict?: boolean | undefined;
}

/** The write conflicted with another (serialization failure, deadlock, busy): the same transaction may be retried. */
export class Retryable extends Error {
  readonly [retryable] = true;
  override readonly name = "Retryable";
  /** Whether another transaction was in the way; absent if not. */
  declare readonly isConflict?: true;

  constructor(message?: string | undefined, { isConflict = false, ...options }: RetryableOptions = {}) {
    super(message, options);
    if (isConflict) this.isConflict = true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && retryable in value;
  }
}

/** What a store knows about a failure. */
export interface UnavailableOptions extends ErrorOptions {
  /**
   * Whether the call certainly wrote nothing: the connection could not be opened, the database refused the statement, or the transaction was rolled back. By default (`false`) a
   * write or a commit may have been done, because only its answer was lost.
   */
  readonly wroteNothing?: boolean | undefined;
}

/** The store cannot respond now (down, disk full, locked): the core responds 503, for a write that may have been done with the code OUTCOME_UNKNOWN. */
export class Unavailable extends Error {
  readonly [unavailable] = true;
  override readonly name: string = "Unavailable";
  /** Whether nothing was written; absent if a write or a commit may have been done. */
  declare readonly wroteNothing?: true;

  constructor(message?: string | undefined, { wroteNothing = false, ...options }: UnavailableOptions = {}) {
    super(message, options);
    if (wroteNothing) this.wroteNothing = true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && unavailable in value;
  }
}

/** The read took longer than its `budgetMs`: the core responds 503 QUERY_TIMEOUT with Retry-After. */
export class QueryTimeout extends Error {
  readonly [queryTimeout] = true;
  override readonly name = "QueryTimeout";

  /** @param budgetMs how long the read was allowed to take, if known */
  constructor(budgetMs?: number | undefined, options?: ErrorOptions) {
    super(`The read took longer than ${budgetMs === undefined ? "its time budget" : `${budgetMs} ms`}.`, options);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && queryTimeout in value;
  }
}

/** A value is too long for an index of the store, or the row is too large for its pages: the core responds 422 ROW_TOO_LARGE. */
export class RowTooLarge extends Error {
  readonly [rowTooLarge] = true;
  override readonly name = "RowTooLarge";

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && rowTooLarge in value;
  }
}

/** The database refused a write of many rows in one statement, by a rule of its own: nothing of it is written, and the core answers as for one row. */
export class WriteRefused extends Error {
  readonly [writeRefused] = true;
  override readonly name = "WriteRefused";
  readonly refusal: Refusal;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(`The database refused to write these rows (${refusal.rule}).`, options);
    this.refusal = refusal;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && writeRefused in value;
  }
}
