import type { CallOptions } from "../options.js";
import type { ListQuery } from "../parameters.js";

/** How current the rows of a snapshot are. */
export type LiveState =
  /** No list has been read. */
  | "loading"
  | "live"
  /** The rows may be out of date: there is no connection, or the list is read again. */
  | "reconnecting"
  /** An error that another try would not change has ended it: `error`. */
  | "failed"
  | "closed";

/** Rows at one time. It is never changed: another state of the rows is another snapshot. */
export interface LiveSnapshot<Row = object> {
  readonly rows: readonly Row[];
  readonly state: LiveState;
  /** What failed last, until the rows are live again. */
  readonly error?: unknown;
}

/** Rows of a list that are kept current while somebody is subscribed. The functions need no `this`. */
export interface LiveRows<Row = object> {
  /** The same object until something changes. */
  readonly get: () => LiveSnapshot<Row>;
  /** Calls the listener after changes, once for all that arrived together. Returns what ends that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Keeps the rows current without a subscription too, until `close`. After `failed` it tries again. */
  readonly start: () => void;
  /** Ends it for good. */
  readonly close: () => void;
}

/** Which rows are kept current. */
export interface LiveQuery extends Pick<ListQuery, "where" | "sort" | "fields" | "include" | "perPage">, CallOptions {
  readonly id?: string | readonly string[] | undefined;
  readonly maxRows?: number | undefined;
}
