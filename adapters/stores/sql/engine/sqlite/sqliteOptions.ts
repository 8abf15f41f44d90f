import { oneOf, optionsCheck, passing, strict, text, whole } from "../../../../../src/ground/options/index.js";
import { isPrefix, prefixRule } from "../../schema/place.js";
import type { MigrateMode } from "../executor.js";
import type { SqliteDriverName } from "./sqliteConnection.js";

/** A file, and how it is opened. */
export interface SqliteOptions {
  /** The path of a file, which is created if missing, or `:memory:`. */
  readonly path: string;
  /** How long a write waits for another process that writes to the same file, in milliseconds. Defaults to 5,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** The driver to use. Defaults to the first available of `node:sqlite`, `better-sqlite3` and `libsql`. */
  readonly driver?: SqliteDriverName | undefined;
  /** Whether missing tables, columns and indexes are created at the start (`create`, the default), or are an error that names them (`check`). */
  readonly migrate?: MigrateMode | undefined;
  /** The beginning of the name of each table and index of this library, so that two services can share the file. Defaults to none. */
  readonly prefix?: string | undefined;
}

/** @throws {ConfigurationError} for options that are unknown or of a wrong type */
export const checkSqliteOptions: (options: SqliteOptions) => void = /* @__PURE__ */ optionsCheck("sqliteStorage", () =>
  strict<SqliteOptions>(
    {
      path: text('the path of a file, or ":memory:"'),
      busyTimeoutMs: whole(0),
      driver: oneOf("node:sqlite", "better-sqlite3", "libsql"),
      migrate: oneOf("create", "check"),
      prefix: passing(prefixRule, isPrefix),
    },
    ["path"],
  ),
);
