import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { postgresStorage } from "restwright/postgres";

/*
 * A script of a developer that counts twice in PostgreSQL. By the second time its pool has no connection left, and nothing else keeps its process alive.
 * Argument: the address of the database.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], idleTimeoutMillis: 10 });
const storage = postgresStorage({ pool });
await storage.migrate?.([]);
const take = { name: "calls", limit: 5, windowMs: 60_000, cost: 1, algorithm: "fixed-window" } as const;
await storage.rateLimits?.take("ada", take);
while (pool.totalCount > 0) await sleep(10);
const taken = await storage.rateLimits?.take("ada", take);
process.stdout.write(`${taken?.remaining}\n`);
await storage.close?.();
await pool.end();
