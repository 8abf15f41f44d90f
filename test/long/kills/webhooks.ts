import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureFairness } from "../../capabilities/webhooks/delivery/fairnessStage.js";
import { webhooksWhileKilled } from "../../e2e/kills/webhooks/webhookKillRun.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Kills servers with SIGKILL while they tell webhooks of writes: `npx tsx test/long/kills/webhooks.ts --kills 100`, and with `--store postgres` (POSTGRES_URL)
 * two processes on one PostgreSQL. Exits with 1 where a committed write was not told, or one that was rolled back.
 *
 * With `--rows 300000`: how long healthy webhooks wait beside one that hangs and has so many deliveries waiting. Exits with 1 where the slowest
 * hundredth waits for more than a second.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    rows: { type: "string" },
    store: { type: "string", default: "sqlite" },
    clients: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-webhooks-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const environment: Record<string, string> =
  schema === undefined ? { SQLITE_PATH: join(folder, "webhooks.db") } : { DATABASE_URL: await schema.create() };
const begunMs = performance.now();
const seconds = () => Math.round((performance.now() - begunMs) / 1_000);
const isFine = values.rows === undefined ? await kill(Number(values.kills)) : await wait(Number(values.rows));
await schema?.drop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = isFine ? 0 : 1;

async function kill(kills: number): Promise<boolean> {
  const random = randomOf(Number(values.seed));
  const workers = schema === undefined ? 1 : 2;
  const aliveMs = () => 50 + random() * 800;
  const report = await webhooksWhileKilled({ kills, workers, clients: Number(values.clients), environment, aliveMs, random });
  const { requests, unanswered, rolledBack, rows, events, again, faults } = report;
  console.log(
    `${kills} kills in ${seconds()} s: ${requests} requests, ${unanswered} of them unanswered, ${rolledBack} batches rolled back, ${rows} rows, ${events} events told, ${again} of them told again, ${faults.length} faults`,
  );
  for (const fault of faults.slice(0, 50)) console.log(fault);
  return faults.length === 0 && rows > 1;
}

async function wait(rows: number): Promise<boolean> {
  const { SQLITE_PATH: path, DATABASE_URL: connectionString } = environment;
  const { delays, p50Ms, p99Ms, enqueuedMs } = await measureFairness({ rows, path, connectionString });
  console.log(
    `${rows} rows waiting (enqueued in ${Math.round(enqueuedMs / 1_000)} s): ${delays.length} deliveries to 20 others, median ${p50Ms} ms, p99 ${p99Ms} ms`,
  );
  return p99Ms < 1_000;
}
