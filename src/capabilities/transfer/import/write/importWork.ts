import type { Storage } from "../../../../ground/storage/storage.js";
import type { SourceRow } from "../../rows.js";
import type { FailedRow, RowResult } from "./rowResult.js";

/** Validated rows, ready to be written. */
export interface PreparedRows {
  /** The rows that failed validation. */
  readonly failed: readonly FailedRow[];
  /**
   * Writes the valid rows in the transaction, and returns the result of each row in the order of the file.
   *
   * @param tx `undefined` if the storage has no transactions
   * @throws {ChangedMeanwhile} if the rows must be prepared again
   */
  write(tx: Storage | undefined): Promise<readonly RowResult[]>;
}

/** Imports the rows of a file into a collection, chunk by chunk. */
export interface ImportWork {
  /** Whether rows can be prepared while the rows before are written, because they do not depend on them. */
  readonly canPrefetch: boolean;
  /** Validates rows without writing anything. Callbacks of the developer run here, outside of any transaction. */
  prepare(rows: readonly SourceRow[]): Promise<PreparedRows>;
  /** Returns the first row that fails independently of the rows before it. Faults that depend on those rows are found by `prepare` only. */
  findInvalid(rows: readonly SourceRow[]): Promise<FailedRow | undefined>;
}

/** A row was changed or removed after it had been read; the rows must be prepared again. */
export class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile";

  constructor() {
    super("A row changed while it was being imported.");
  }
}
