import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { subscribersWhileKilled } from "../../e2e/kills/webhooks/subscriberKillRun.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Kills servers with SIGKILL while they write and handle the events of their writes: `npx tsx test/long/kills/subscribers.ts --kills 100`, and with `--store postgres` (POSTGRES_URL) two
 * processes on one PostgreSQL, one of which lacks a handler now and then. Exits with 1 if a committed write was not handled, or one that was rolled back was.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    store: { type: "string", default: "sqlite" },
    clients: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-subscribers-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const environment: Record<string, string> =
  schema === undefined ? { SQLITE_PATH: join(folder, "subscribers.db") } : { DATABASE_URL: await schema.create() };
const begunMs = performance.now();
const random = randomOf(Number(values.seed));
const { requests, unanswered, rolledBack, rows, events, again, faults } = await subscribersWhileKilled({
  kills: Number(values.kills),
  workers: schema === undefined ? 1 : 2,
  clients: Number(values.clients),
  aliveMs: () => 50 + random() * 800,
  ...{ environment, folder, random },
});
const seconds = Math.round((performance.now() - begunMs) / 1_000);
console.log(
  `${values.kills} kills in ${seconds} s: ${requests} requests, ${unanswered} of them unanswered, ${rolledBack} batches rolled back, ${rows} rows, ${events} events handled, ${again} times again, ${faults.length} faults`,
);
for (const fault of faults.slice(0, 50)) console.log(fault);
await schema?.drop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = faults.length === 0 && rows > 1 ? 0 : 1;
