import type { SqlRow } from "../executor.js";

/** One connection of a SQLite driver. All calls are synchronous and throw the driver's errors. */
export interface SqliteConnection {
  /** Runs text without values: pragmas, `begin`, `commit`, `rollback`. */
  execute(text: string): void;
  /** Runs a statement that returns no rows. @returns the number of rows that it matched */
  run(text: string, values: readonly unknown[]): number;
  first(text: string, values: readonly unknown[], bigints: boolean): SqlRow | undefined;
  all(text: string, values: readonly unknown[], bigints: boolean): SqlRow[];
  /** Reads a few rows at a time, with the prepared statement of `all`. The same text must not run on this connection until the reading ends. */
  begin(text: string, values: readonly unknown[], bigints: boolean): RowReading;
  /** Reads a few rows at a time, with its own statement. */
  step(text: string, values: readonly unknown[], bigints: boolean): RowReading;
  /** The lines of the query plan of a statement. */
  plan(text: string, values: readonly unknown[]): readonly string[];
  close(): void;
}

/** A statement whose rows are read a few at a time. It holds its snapshot until it ends. */
export interface RowReading {
  /** The next rows; none at the end. The engine does not read ahead. */
  next(maxRows: number): readonly SqlRow[];
  /**
   * Ends the reading early.
   *
   * @param isAlone whether no other statement is open on the connection. libsql can only interrupt all statements of a connection; if this one is not alone, it
   *   is dropped, and holds its snapshot until it is garbage-collected
   */
  end(isAlone: boolean): void;
}

export type SqliteDriverName = "node:sqlite" | "better-sqlite3" | "libsql";

export interface SqliteDriver {
  readonly name: SqliteDriverName;
  /** Opens a file, or `:memory:`; creates a missing file. */
  open(path: string): SqliteConnection;
}
