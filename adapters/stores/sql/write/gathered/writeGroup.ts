import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import type { TenantRows } from "../tenantRows.js";

/** How writes of one kind are sent as one statement. All of them are of one table and tenant. */
export interface WriteGroup<Write> {
  readonly target: TenantRows;
  /** Writes the row by itself, as if no others waited. */
  alone(write: Write): Promise<Outcome<Row>>;
  /**
   * Writes the rows that nothing is in the way of, and returns them. It waits neither for locked rows nor, for longer than a moment, for keys that an open transaction may take.
   *
   * @throws {TypeError} if a value cannot be sent
   */
  statement(writes: readonly Write[]): SqlStatement;
  /** Reads what these writes have stored, as far as that is found by an index. It may return other rows, too. */
  find(writes: readonly Write[]): SqlStatement;
  /** By what the row of a write is found among those that the statements return. No statement has two of one name. */
  nameOf(write: Write): string;
  nameIn(stored: SqlRow): string;
  /** The version that the row has after the write, and before any other. */
  versionOf(write: Write): string;
  outcome(write: Write, stored: SqlRow): Outcome<Row>;
}
