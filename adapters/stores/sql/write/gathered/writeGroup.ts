import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import type { Session } from "../../engine/session.js";

/** How writes of one kind are sent as one statement. All of them are of one table, and rows of one tenant. */
export interface WriteGroup<Write, Result = Outcome<Row>> {
  readonly session: Session;
  /** What is written, for messages. */
  readonly title: string;
  /** Writes the row by itself, as if no others waited. */
  alone(write: Write): Promise<Result>;
  /**
   * Writes the rows that nothing is in the way of, and returns them. It waits neither for locked rows nor, for longer than a moment, for keys that an open transaction may take.
   *
   * @throws {TypeError} if a value cannot be sent
   */
  statement(writes: readonly Write[]): SqlStatement;
  /** How it is found out what a statement has written whose answer was lost; absent if each asker does so itself. */
  readonly lost?: LostWrites<Write> | undefined;
  /** By what the row of a write is found among those that the statements return. No statement has two of one name. */
  nameOf(write: Write): string;
  nameIn(stored: SqlRow): string;
  outcome(write: Write, stored: SqlRow): Result;
}

/** Writes whose answer was lost. */
export interface LostWrites<Write> {
  /** Reads what these writes have stored, as far as that is found by an index. It may return other rows, too. */
  find(writes: readonly Write[]): SqlStatement;
  /** The version that the row has after the write, and before any other. */
  versionOf(write: Write): string;
}
