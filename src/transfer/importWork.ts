import type { Storage } from "../storage/storage.js";
import type { FailedRow, RowResult } from "./rowResult.js";
import type { SourceRow } from "./rows.js";

/** Rows that have been judged, ready to be written. */
export interface PreparedRows {
  /** Those that cannot be written, whatever the store says of the others. */
  readonly failed: readonly FailedRow[];
  /**
   * Writes what can be written, all of it in the transaction, and says of each row what became of it, in their order.
   *
   * @param tx `undefined` where the storage has no transactions
   * @throws {ChangedMeanwhile} where the rows have to be judged again
   */
  write(tx: Storage | undefined): Promise<readonly RowResult[]>;
}

/** How the rows of a file come into a collection. */
export interface ImportWork {
  /** Whether what rows are judged by does not depend on the rows before, so that they can be judged while those are written. */
  readonly canLookAhead: boolean;
  /** Judges rows without writing anything; callbacks of the developer run here, outside of any transaction. */
  prepare(rows: readonly SourceRow[]): Promise<PreparedRows>;
  /** The first row that cannot be written whatever comes of rows before it, or nothing. What depends on those is left for `prepare` to find. */
  findHopeless(rows: readonly SourceRow[]): Promise<FailedRow | undefined>;
}

/** A row that was judged is not there any more, or not as it was. */
export class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile";

  constructor() {
    super("A row has changed while it was being imported.");
  }
}
