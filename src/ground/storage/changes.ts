import type { Row } from "./collection.js";
import type { CollectionModel } from "./model.js";
import type { Id } from "./values/scalar.js";

/** A committed write of one row. */
export interface RowChange {
  readonly kind: "create" | "update" | "remove";
  /** The tenant of the row; `undefined` for one that has none. */
  readonly tenant: string | undefined;
  readonly id: Id;
  /** The row before an update or a removal. The row after is read from the collection, where it may have changed again since. */
  readonly before?: Row | undefined;
}

/** Changes of a collection after a position. */
export interface ChangePage {
  /** In the order of positions. Those of one row need not be in the order in which they were made. */
  readonly changes: readonly RowChange[];
  /** Where reading goes on. */
  readonly position: string;
  /** Whether there is more to read at once, or soon: changes that are committed, but wait for an older transaction that may still commit. */
  readonly hasMore: boolean;
}

/** Which changes of a collection are kept: the youngest ones, as long as both hold. */
export interface KeptChanges {
  /** How many. */
  readonly changes: number;
  /** How long, in milliseconds. */
  readonly ms: number;
}

/**
 * The committed writes of collections whose model has `keepsChanges`, whatever made them: each is in the log if and only if its transaction has committed.
 *
 * A position is a text that only the log understands. One that follows positions sees every change once: a change that commits later never stands before a position that was
 * given out earlier.
 */
export interface ChangeLog {
  /** The position before all changes that commit from now on. It may lie before some that have just committed. */
  head(model: CollectionModel): Promise<string>;
  /**
   * Reads changes after a position.
   *
   * @param limit the most changes
   * @returns `undefined` if changes after the position have been dropped, or if it is none of this log
   */
  read(model: CollectionModel, after: string, limit: number): Promise<ChangePage | undefined>;
  /** Drops the changes of a collection that need not be kept any more. Safe when several processes call it. */
  prune(model: CollectionModel, kept: KeptChanges): Promise<void>;
}
