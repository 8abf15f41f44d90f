import { objectMaker } from "../../../../../src/ground/storage/values/objectMaker.js";
import type { SqlRow } from "../executor.js";
import type { RowReading, SqliteConnection } from "./sqliteConnection.js";
import { StatementCache } from "./statementCache.js";

/** What this adapter needs from `better-sqlite3` or `libsql`, which have the same interface. */
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

/** The row iterator of libsql, which holds rows that were read ahead. */
interface Buffered extends Iterator<readonly unknown[]> {
  nextRows?: (readonly unknown[] | undefined)[];
  nextRowIndex?: number;
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
    return { statement, toRow: objectMaker(statement.columns().map(({ name }, key) => ({ name, key }))) };
  };
  const reading = (bigints: boolean) => new StatementCache((text) => prepareReading(text, bigints));
  const writes = new StatementCache((text) => database.prepare(text));
  // After `all`, the next `get` of the same statement does nothing in libsql; so each method has its own statements.
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
    begin(text, values, bigints) {
      const cache = alls[bigints ? 1 : 0];
      return cache.with(text, ({ statement, toRow }) => rowReading(database, statement.iterate(values), toRow, () => cache.forget(text)));
    },
    step(text, values, bigints) {
      const { statement, toRow } = prepareReading(text, bigints);
      return rowReading(database, statement.iterate(values), toRow, () => {});
    },
    plan(text, values) {
      const { statement, toRow } = prepareReading(`explain query plan ${text}`, false);
      const lines = statement.all(values).map((row) => String(toRow(row)["detail"]));
      // libsql leaves an explained statement open until it runs again, and an open statement holds the snapshot of the connection.
      if (database.interrupt !== undefined) for (let run = 0; run < 2; run++) statement.get(values);
      return lines;
    },
    close: () => void database.close(),
  };
}

/** @param forget called when the statement must not be used again */
function rowReading(database: BetterDatabase, rows: Buffered, toRow: Reading["toRow"], forget: () => void): RowReading {
  let isDone = false;
  return {
    next(maxRows) {
      if (isDone) return [];
      try {
        const next = rows.nextRows === undefined ? nextRows(rows, maxRows) : nextBuffered(rows, maxRows);
        isDone = next.length < maxRows;
        return next.map(toRow);
      } catch (error) {
        isDone = true;
        forget();
        throw error;
      }
    },
    end(isAlone) {
      if (isDone) return;
      isDone = true;
      forget();
      endIteration(database, rows, isAlone);
    },
  };
}

function nextRows(rows: Buffered, maxRows: number): (readonly unknown[])[] {
  const found: (readonly unknown[])[] = [];
  while (found.length < maxRows) {
    const next = rows.next();
    if (next.done === true) break;
    found.push(next.value);
  }
  return found;
}

/** libsql reads 100 rows ahead, which may take seconds. Replacing its buffer limits that to `maxRows`. */
function nextBuffered(rows: Buffered, maxRows: number): (readonly unknown[])[] {
  const room = new Array<readonly unknown[] | undefined>(maxRows);
  rows.nextRows = room;
  rows.nextRowIndex = 100;
  const first = rows.next();
  if (first.done === true) return [];
  const found = [first.value];
  for (let index = 1; index < maxRows; index++) {
    const row = room[index];
    if (!row) break;
    found.push(row);
  }
  return found;
}

/** Iterators of libsql have no `return`, and a dropped one holds its snapshot until it is garbage-collected. So it is interrupted, which makes it fail. */
function endIteration(database: BetterDatabase, rows: Buffered, isAlone: boolean): void {
  if (rows.return !== undefined) rows.return();
  else if (isAlone) {
    database.interrupt?.();
    try {
      while (nextBuffered(rows, 1).length > 0);
    } catch {
      // The interruption is the expected error.
    }
  }
}
