import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ownPrefix } from "../../adapters/stores/redis/redisServer.js";
import { keyedWhileKilled } from "../../e2e/kills/keyedWhileKilled.js";

/**
 * Kills servers with SIGKILL while clients send POSTs under Idempotency-Keys: `npx tsx test/long/kills/idempotency.ts --kills 100`, with `--database
 * postgres://…` for four processes on one PostgreSQL, and `--redis redis://…` besides for records in Redis. Exits with 1 where a key made no row or several.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    clients: { type: "string", default: "16" },
    /** An empty PostgreSQL that is there to be written to; otherwise the embedded store in a temporary folder. */
    database: { type: "string" },
    redis: { type: "string" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "restwright-keyed-"));
const records: Record<string, string> = values.redis === undefined ? {} : { RECORDS_REDIS_URL: values.redis, RECORDS_PREFIX: ownPrefix().prefix };
const rows: Record<string, string> = values.database === undefined ? { SQLITE_PATH: join(folder, "keyed.db") } : { DATABASE_URL: values.database };
const report = await keyedWhileKilled({
  kills: Number(values.kills),
  workers: values.database === undefined ? 1 : 4,
  clients: Number(values.clients),
  environment: { ...rows, ...records },
  aliveMs: () => 30 + Math.random() * 400,
});
rmSync(folder, { recursive: true, force: true });
const { keys, retried, faults } = report;
console.log(
  `${values.kills} kills: ${keys} keys, ${report.rows} rows, ${retried} requests sent again, ${faults.length} keys with other than one row and one answer`,
);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 && report.rows === keys ? 0 : 1;
