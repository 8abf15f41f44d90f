import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type SendBatch, sendAtomic, sendJob, sendKeyed } from "../../e2e/kills/batchClients.js";
import { batchesWhileKilled } from "../../e2e/kills/batchesWhileKilled.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Kills servers with SIGKILL while clients send batches: `npx tsx test/long/kills/batch.ts --kills 100`, and with `--store postgres` (POSTGRES_URL) two
 * processes on one PostgreSQL. `--kind atomic`, `keyed` or `job` sends only those. Exits with 1 where rows are missing, there twice, or half a batch.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    store: { type: "string", default: "sqlite" },
    kind: { type: "string" },
    /** Clients of each kind. */
    clients: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});
const kinds: Readonly<Record<string, SendBatch>> = { atomic: sendAtomic, keyed: sendKeyed, job: sendJob };
const chosen = values.kind === undefined ? Object.values(kinds) : [kinds[values.kind]].filter((send) => send !== undefined);
if (chosen.length === 0) throw new Error(`--kind must be one of ${Object.keys(kinds).join(", ")}; got "${values.kind}".`);
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-batch-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const random = randomOf(Number(values.seed));
const environment: Record<string, string> =
  schema === undefined ? { SQLITE_PATH: join(folder, "batches.db") } : { DATABASE_URL: await schema.create() };
const begunMs = performance.now();
const report = await batchesWhileKilled({
  kills: Number(values.kills),
  workers: schema === undefined ? 1 : 2,
  clients: Array.from({ length: Number(values.clients) }, () => chosen).flat(),
  environment,
  aliveMs: () => 50 + random() * 800,
});
await schema?.drop();
rmSync(folder, { recursive: true, force: true });
const seconds = Math.round((performance.now() - begunMs) / 1_000);
const { batches, answered, rows, retried, givenUp, faults } = report;
console.log(
  `${values.kills} kills in ${seconds} s: ${batches} batches, ${answered} answered, ${rows} rows, ${retried} requests sent again, ${givenUp} jobs given up, ${faults.length} faults`,
);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 && answered > 0 ? 0 : 1;
