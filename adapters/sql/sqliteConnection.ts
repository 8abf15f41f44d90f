import type { SqlRow } from "./executor.js";

/** One connection of a SQLite driver. All calls are synchronous and throw the driver's errors. */
export interface SqliteConnection {
  /** Runs text without values: pragmas, the brackets of transactions. */
  execute(text: string): void;
  /** Runs a statement that answers no rows. @returns the number of rows that it matched */
  run(text: string, values: readonly unknown[]): number;
  first(text: string, values: readonly unknown[], bigints: boolean): SqlRow | undefined;
  all(text: string, values: readonly unknown[], bigints: boolean): SqlRow[];
  /** Reads rows one after the other. Left early, it lets go of its snapshot. */
  iterate(text: string, values: readonly unknown[], bigints: boolean): Iterable<SqlRow>;
  close(): void;
}

export type SqliteDriverName = "node:sqlite" | "better-sqlite3" | "libsql";

export interface SqliteDriver {
  readonly name: SqliteDriverName;
  /** Opens a file, or `:memory:`; creates it where there is none. */
  open(path: string): SqliteConnection;
}
