import { createRequire } from "node:module";
import { seedUsers } from "../tools/seed.js";

/** A database of libsql, as far as peers are given it. */
export interface PeerDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): { run(...values: readonly unknown[]): unknown };
}

/** What a column holds of an instant. */
type StoreInstant = (instant: Date) => string | number;

const columns = ["status", "createdAt", "updatedAt", "name", "email", "preferences", "tags", "address"];

/**
 * Opens a file with the settings that the hand-written server has, makes the table and the indexes, and fills it.
 *
 * @param table its definition, with the columns as the peer would make them
 */
export function openPeerDatabase(path: string, table: string, storeInstant: StoreInstant): PeerDatabase {
  const libsql: new (path: string) => PeerDatabase = createRequire(import.meta.url)("libsql");
  const database = new libsql(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(table);
  database.exec("CREATE INDEX users_status ON users (status, createdAt); CREATE INDEX users_created_at ON users (createdAt)");
  database.exec("CREATE UNIQUE INDEX users_email ON users (email COLLATE NOCASE); BEGIN");
  const insert = database.prepare(`INSERT INTO users (${columns.join()}) VALUES (${columns.map(() => "?").join()})`);
  for (const { status, createdAt, updatedAt, name, email, preferences, tags, address } of seedUsers()) {
    const json = [preferences, tags, address].map((value) => JSON.stringify(value));
    insert.run(status, storeInstant(createdAt), storeInstant(updatedAt), name, email, ...json);
  }
  database.exec("COMMIT");
  return database;
}
