import type { SqlRow } from "./executor.js";
import type { SqliteConnection } from "./sqliteConnection.js";
import { StatementCache } from "./statementCache.js";

/** What this adapter needs of `better-sqlite3`, and of `libsql`, which has the same interface. */
export type BetterSqlite = new (path: string) => BetterDatabase;

interface BetterDatabase {
  exec(text: string): unknown;
  prepare(text: string): BetterStatement;
  close(): unknown;
  /** Only libsql has it. */
  interrupt?(): void;
}

interface BetterStatement {
  raw(enabled: boolean): this;
  safeIntegers(enabled: boolean): this;
  columns(): readonly { readonly name: string }[];
  run(values: readonly unknown[]): { readonly changes: number };
  get(values: readonly unknown[]): readonly unknown[] | undefined;
  all(values: readonly unknown[]): (readonly unknown[])[];
  iterate(values: readonly unknown[]): Iterator<readonly unknown[]>;
}

interface Reading {
  readonly statement: BetterStatement;
  readonly toRow: (values: readonly unknown[]) => SqlRow;
}

/** Opens a file with `better-sqlite3` or `libsql`. Rows are read as arrays: libsql adds a member to its objects. */
export function openBetterSqlite(Database: BetterSqlite, path: string): SqliteConnection {
  const database = new Database(path);
  const prepareReading = (text: string, bigints: boolean): Reading => {
    const statement = database.prepare(text).raw(true).safeIntegers(bigints);
    return { statement, toRow: rowMaker(statement.columns().map(({ name }) => name)) };
  };
  const reading = (bigints: boolean) => new StatementCache((text) => prepareReading(text, bigints));
  const writes = new StatementCache((text) => database.prepare(text));
  // After `all`, libsql lets the next `get` of the same statement do nothing: each has statements of its own.
  const firsts = [reading(false), reading(true)] as const;
  const alls = [reading(false), reading(true)] as const;
  return {
    execute: (text) => void database.exec(text),
    run: (text, values) => writes.with(text, (statement) => statement.run(values).changes),
    first: (text, values, bigints) =>
      firsts[bigints ? 1 : 0].with(text, ({ statement, toRow }) => {
        const row = statement.get(values);
        return row && toRow(row);
      }),
    all: (text, values, bigints) => alls[bigints ? 1 : 0].with(text, ({ statement, toRow }) => statement.all(values).map(toRow)),
    *iterate(text, values, bigints) {
      const { statement, toRow } = prepareReading(text, bigints);
      const rows = statement.iterate(values);
      let next = rows.next();
      try {
        for (; next.done !== true; next = rows.next()) yield toRow(next.value);
      } finally {
        if (next.done !== true) endIteration(database, rows);
      }
    },
    close: () => void database.close(),
  };
}

function rowMaker(names: readonly string[]): Reading["toRow"] {
  return (values) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) row[name] = values[index];
    return row;
  };
}

/** libsql's iterators have no `return`, and one that is dropped keeps its snapshot until it is collected: it has to be made to fail. */
function endIteration(database: BetterDatabase, rows: Iterator<unknown>): void {
  if (rows.return !== undefined) {
    rows.return();
    return;
  }
  database.interrupt?.();
  try {
    while (rows.next().done !== true);
  } catch {
    // Interrupted, as it should be.
  }
}
