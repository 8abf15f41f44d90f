import type { SqlRow } from "./executor.js";
import type { SqliteConnection } from "./sqliteConnection.js";
import { StatementCache } from "./statementCache.js";

/** What this adapter needs of `node:sqlite` (Node 22.13 and later). */
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

/** Opens a file with the driver that is part of Node. */
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
    iterate: (text, values, bigints) => prepare(text, bigints).iterate(...values),
    close: () => database.close(),
  };
}
