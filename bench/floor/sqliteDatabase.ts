/** What `node:sqlite` and `libsql` have in common, as far as it is used here. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

export interface SqliteStatement {
  get(...values: readonly SqliteValue[]): unknown;
  all(...values: readonly SqliteValue[]): unknown[];
  run(...values: readonly SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
}

export type SqliteValue = string | number | null;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

/** Whether this Node has `node:sqlite` without a flag. */
export const hasBuiltInSqlite = major > 22 || (major === 22 && minor >= 13);

/** Opens a file with what this Node has: `node:sqlite`, else `libsql`. */
export async function openSqlite(path: string): Promise<SqliteDatabase> {
  const builtIn = "node:sqlite";
  const database: SqliteDatabase = hasBuiltInSqlite ? new (await import(builtIn)).DatabaseSync(path) : new (await import("libsql")).default(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  return database;
}
