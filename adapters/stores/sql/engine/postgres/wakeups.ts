import { having, optionsCheck, strict } from "../../../../../src/ground/options/index.js";
import type { Wakeups } from "../../../../../src/ground/storage/wakeups.js";
import { KeptConnection } from "./beside/keptConnection.js";
import { PostgresWakeups } from "./beside/postgresWakeups.js";
import { type PostgresPool, survivesBreaks } from "./postgresPool.js";

/** Options of {@link postgresWakeups}. */
export interface PostgresWakeupOptions {
  /** A pool of `pg` that the caller made, and ends. */
  readonly pool: PostgresPool;
}

const check = /* @__PURE__ */ optionsCheck("postgresWakeups", () =>
  strict<PostgresWakeupOptions>({ pool: having("a Pool of pg", "connect", "query") }, ["pool"]),
);

/**
 * Wake-ups by LISTEN and NOTIFY of a PostgreSQL database, for services whose storage is another one: `postgresStorage` has its own. Each process that listens opens one connection beside the pool.
 *
 * @example
 * createService({ resources, storage, wakeups: postgresWakeups({ pool: new Pool() }) });
 */
export function postgresWakeups(options: PostgresWakeupOptions): Wakeups {
  check(options);
  const pool = async () => survivesBreaks(options.pool);
  return new PostgresWakeups(pool, new KeptConnection(pool), { isAlone: true });
}
