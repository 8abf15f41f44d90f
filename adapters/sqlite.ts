import type { Storage } from "../src/ground/storage/storage.js";
import { sqliteExecutor } from "./stores/sql/engine/sqlite/sqliteExecutor.js";
import type { SqliteOptions } from "./stores/sql/engine/sqlite/sqliteOptions.js";
import { sqlStorage } from "./stores/sql/storage.js";

export type { SqliteDriverName } from "./stores/sql/engine/sqlite/sqliteConnection.js";
export type { SqliteOptions } from "./stores/sql/engine/sqlite/sqliteOptions.js";

/**
 * A store in one SQLite file, or in memory with the path `:memory:`.
 *
 * What is acknowledged is on the disk. Several processes may use one file; writes then wait for each other.
 *
 * @throws {Unavailable} when the file cannot be opened, naming it and what to do
 * @throws {Error} when there is no driver, naming the command that installs one
 * @example
 * const storage = sqliteStorage({ path: "data.db" });
 */
export function sqliteStorage(options: SqliteOptions): Storage {
  return sqlStorage(sqliteExecutor(options), { migrate: options.migrate, prefix: options.prefix });
}
