import type { Id } from "../../ground/storage/values/scalar.js";
import type { RowLock } from "../operation/transaction/lockedRows.js";
import type { ListMeta } from "../resource/read/envelope.js";

/** The id of a row; a composite one is an array with its parts. */
export type CallId = Id | readonly Id[];

/** A row as the zod schema describes it, with dates and bigints. */
export type CallRow = Record<string, unknown>;

/** Which fields and relations a call returns. */
export interface ShowOptions {
  readonly fields?: unknown;
  readonly exclude?: unknown;
  readonly include?: unknown;
}

/** Which rows a call is about. */
export interface MatchOptions {
  /** A filter such as `{ total: { gte: 5 } }`. */
  readonly where?: unknown;
  /** Text to search for. */
  readonly q?: unknown;
}

/** How a call in a transaction locks the rows that it reads. */
export interface LockOptions {
  readonly lock?: RowLock | undefined;
}

/** Options of `list`: those of a list over HTTP, and a lock. */
export interface ListOptions extends MatchOptions, ShowOptions, LockOptions {
  readonly sort?: unknown;
  readonly page?: unknown;
  readonly perPage?: unknown;
  readonly cursor?: unknown;
  readonly count?: unknown;
  /** Instead of `page` and `perPage`: rows to skip, a multiple of `limit`. */
  readonly offset?: number | undefined;
  /** Rows from `offset` on. */
  readonly limit?: number | undefined;
}

/** Options of `walk`. */
export interface WalkOptions extends MatchOptions, ShowOptions {
  readonly sort?: unknown;
  /** Rows of one read (default: the limit `maxPerPage`). */
  readonly perPage?: unknown;
  /** The most rows in all. */
  readonly limit?: number | undefined;
}

/** Options of `create`. */
export interface CreateOptions {
  /** The collection inserts one row under this id: a second call with the id returns the row of the first. */
  readonly operationId?: string | undefined;
}

/** Options of the other writes. */
export interface WriteOptions {
  /** Writes only if the row still has this version: a row that a call returned, or the text of an ETag. */
  readonly ifMatch?: object | string | undefined;
}

/** A page of a list. */
export interface CallList {
  readonly data: readonly CallRow[];
  readonly meta: ListMeta;
}

/** Changes as a merge patch, or a function that makes them of the current row. */
export type Changes = Readonly<CallRow> | ((row: CallRow) => Readonly<CallRow> | undefined | Promise<Readonly<CallRow> | undefined>);

/**
 * The calls of one collection. Operations that the resource does not have are missing.
 *
 * Each call rejects with the {@link ProblemError} that a client would get.
 */
export interface CollectionCalls {
  list(options?: ListOptions): Promise<CallList>;
  walk(options?: WalkOptions): AsyncGenerator<CallRow, void, void>;
  count(options?: MatchOptions): Promise<number>;
  get(id: CallId, options?: ShowOptions & LockOptions): Promise<CallRow>;
  create(row: Readonly<CallRow>, options?: CreateOptions): Promise<CallRow>;
  update(id: CallId, changes: Changes, options?: WriteOptions): Promise<CallRow>;
  replace(id: CallId, row: Readonly<CallRow>, options?: WriteOptions): Promise<CallRow>;
  remove(id: CallId, options?: WriteOptions): Promise<void>;
}
