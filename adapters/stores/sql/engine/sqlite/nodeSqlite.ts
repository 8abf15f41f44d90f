import type { SqlRow } from "../executor.js";
import type { RowReading, SqliteConnection } from "./sqliteConnection.js";
import { StatementCache } from "./statementCache.js";

/** What this adapter needs from `node:sqlite` (Node 22.13 and later). */
export interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeDatabase;
}

interface NodeDatabase {
  exec(text: string): void;
  prepare(text: string): NodeStatement;
  close(): void;
}

interface NodeStatement {
  run(...values: unknown[]): { readonly changes: number | bigint };
  get(...values: unknown[]): SqlRow | undefined;
  all(...values: unknown[]): SqlRow[];
  iterate(...values: unknown[]): Iterable<SqlRow>;
  setReadBigInts(enabled: boolean): void;
}

/** Opens a file with the driver of Node itself. */
export function openNodeSqlite({ DatabaseSync }: NodeSqlite, path: string): SqliteConnection {
  const database = new DatabaseSync(path);
  const prepare = (text: string, bigints: boolean) => {
    const statement = database.prepare(text);
    statement.setReadBigInts(bigints);
    return statement;
  };
  const numbers = new StatementCache((text) => prepare(text, false));
  const bigintegers = new StatementCache((text) => prepare(text, true));
  const statements = (bigints: boolean) => (bigints ? bigintegers : numbers);
  return {
    execute: (text) => database.exec(text),
    run: (text, values) => numbers.with(text, (statement) => Number(statement.run(...values).changes)),
    first: (text, values, bigints) => statements(bigints).with(text, (statement) => statement.get(...values)),
    all: (text, values, bigints) => statements(bigints).with(text, (statement) => statement.all(...values)),
    begin: (text, values, bigints) => statements(bigints).with(text, (statement) => rowReading(statement, values)),
    step: (text, values, bigints) => rowReading(prepare(text, bigints), values),
    plan: (text, values) =>
      prepare(`explain query plan ${text}`, false)
        .all(...values)
        .map(({ detail }) => String(detail)),
    close: () => database.close(),
  };
}

/** The rows of a statement, which stays with them: Node 22.13 finalizes one that nothing refers to, while its rows are read. */
function rowReading(statement: NodeStatement, values: readonly unknown[]): RowReading & { readonly statement: NodeStatement } {
  const iterator = statement.iterate(...values)[Symbol.iterator]();
  let isDone = false;
  return {
    statement,
    next(maxRows) {
      const rows: SqlRow[] = [];
      while (!isDone && rows.length < maxRows) {
        const next = iterator.next();
        if (next.done === true) isDone = true;
        else rows.push(next.value);
      }
      return rows;
    },
    end() {
      if (!isDone) iterator.return?.();
      isDone = true;
    },
  };
}
