import type { Storage } from "../src/ground/storage/storage.js";
import { type PostgresOptions, postgresExecutor } from "./stores/sql/engine/postgres/postgresExecutor.js";
import { sqlStorage } from "./stores/sql/storage.js";

export type { PostgresOptions } from "./stores/sql/engine/postgres/postgresExecutor.js";
export type { PostgresClient, PostgresConnection, PostgresPool, PostgresQuery, PostgresResult } from "./stores/sql/engine/postgres/postgresPool.js";
export { type PostgresWakeupOptions, postgresWakeups } from "./stores/sql/engine/postgres/wakeups.js";

/**
 * A store in a PostgreSQL database (12 and later), over a pool of `pg`: the caller's, or one that it opens itself.
 *
 * The tables of this library are in `schema`, by default the first schema of the connection's search path, and their names begin with `prefix`.
 *
 * @example
 * const storage = postgresStorage({ connectionString: "postgres://localhost/shop" });
 * @example
 * const storage = postgresStorage({ pool: new Pool() });
 */
export function postgresStorage(options: PostgresOptions): Storage {
  return sqlStorage(postgresExecutor(options), { migrate: options.migrate, schema: options.schema, prefix: options.prefix });
}
