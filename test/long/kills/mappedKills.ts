import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connectRedis, ownPrefix } from "../../adapters/stores/redis/redisServer.js";
import { keyedWhileKilled } from "../../e2e/kills/keyedWhileKilled.js";
import { postgresKeyedTable, sqliteKeyedTable } from "../../e2e/kills/mappedKeyed.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl, redisUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Kills servers with SIGKILL while clients create rows under keys in a table of a developer: `npx tsx test/long/kills/mappedKills.ts --kills 100`, and with `--store postgres`
 * (POSTGRES_URL) four processes on one PostgreSQL. `--records redis` (REDIS_URL) keeps the records of the keys in Redis instead of beside the rows. Every second client sends
 * batches. Exits with 1 where a key made no row or several, or an answer names a row that is not there.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    store: { type: "string", default: "sqlite" },
    records: { type: "string" },
    clients: { type: "string", default: "16" },
    seed: { type: "string", default: "1" },
  },
});
const { store, records = store } = values;
if (!["sqlite", "postgres"].includes(store)) throw new Error(`--store must be sqlite or postgres; got "${store}".`);
if (records !== store && records !== "redis") throw new Error(`--records must be ${store} or redis; got "${records}".`);
if (store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");
if (records === "redis" && redisUrl === undefined) throw new Error("--records redis needs REDIS_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-mapped-kills-"));
const schema = store === "postgres" ? ownSchema() : undefined;
const table = schema === undefined ? await sqliteKeyedTable(join(folder, "keyed.db")) : await postgresKeyedTable(await schema.create());
const prefix = ownPrefix();
const ofRedis: Record<string, string> = records === "redis" ? { RECORDS_REDIS_URL: redisUrl ?? "", RECORDS_PREFIX: prefix.prefix } : {};
const random = randomOf(Number(values.seed));
const begunMs = performance.now();
const report = await keyedWhileKilled({
  kills: Number(values.kills),
  workers: schema === undefined ? 1 : 4,
  clients: Number(values.clients),
  environment: { ...table.environment, ...ofRedis },
  batchItems: 5,
  aliveMs: () => 30 + random() * 400,
});
const seconds = Math.round((performance.now() - begunMs) / 1_000);
const { keys, expectedRows, rows, retried, faults } = report;
const damaged = await table.faults();
console.log(
  `${values.kills} kills in ${seconds} s, rows in ${store}, records in ${records}: ${keys} keys, ${rows} rows of ${expectedRows}, ${retried} requests sent again, ` +
    `${faults.length} keys with other rows or answers, ${damaged.length} damaged rows`,
);
for (const fault of [...faults, ...damaged].slice(0, 50)) console.log(fault);
if (records === "redis") {
  const redis = connectRedis();
  await prefix.remove(redis);
  redis.disconnect();
}
await schema?.drop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = faults.length + damaged.length === 0 && rows === expectedRows && keys > 0 ? 0 : 1;
