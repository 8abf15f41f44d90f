import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fanOutWhileKilled } from "../../e2e/kills/webhooks/fanOutKillRun.js";
import { runScript } from "../../e2e/runScript.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Kills servers with SIGKILL while they import files whose rows webhooks are told of: `npx tsx test/long/kills/fanOutKills.ts --kills 100`, and with `--store postgres` (POSTGRES_URL) two
 * processes on one PostgreSQL. Exits with 1 if a webhook was not told of a row, or of one that is not there, or if a row is missing or there twice.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    rows: { type: "string", default: "1500" },
    webhooks: { type: "string", default: "5" },
    /** How long a process lives at most, in milliseconds: after a death rows are tried one by one for a while, so an import of processes that die too soon hardly goes on. */
    aliveMs: { type: "string", default: "4000" },
    store: { type: "string", default: "sqlite" },
    seed: { type: "string", default: "1" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-fan-out-kills-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const random = randomOf(Number(values.seed));

await runScript(
  async () => {
    const begunMs = performance.now();
    const store: Record<string, string> = schema === undefined ? { SQLITE_PATH: join(folder, "things.db") } : { DATABASE_URL: await schema.create() };
    const { imports, completed, rows, resumed, leftOut, told, faults } = await fanOutWhileKilled({
      kills: Number(values.kills),
      workers: schema === undefined ? 1 : 2,
      clients: 1,
      rows: Number(values.rows),
      webhooks: Number(values.webhooks),
      // Steps of many rows with events take longer on a busy machine than the lease that other runs have; a process that died loses its leases at once.
      environment: { ...store, BLOBS_PATH: join(folder, "blobs"), JOB_LEASE_MS: "3000" },
      aliveMs: () => 100 + random() * Number(values.aliveMs),
      random,
    });
    const seconds = Math.round((performance.now() - begunMs) / 1_000);
    console.log(
      `${values.kills} kills in ${seconds} s: ${completed} of ${imports} imports completed, ${rows} rows, ${resumed} times resumed, ${leftOut} rows left out, ` +
        `${told.events} events told to ${values.webhooks} webhooks, ${told.again} times again, ${faults.length} faults`,
    );
    for (const fault of faults.slice(0, 50)) console.log(fault);
    return faults.length === 0 && completed > 0;
  },
  async () => {
    await schema?.drop();
    rmSync(folder, { recursive: true, force: true });
  },
);
