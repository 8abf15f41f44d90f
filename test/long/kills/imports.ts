import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importsWhileKilled } from "../../e2e/kills/importsWhileKilled.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Kills servers with SIGKILL while they import files: `npx tsx test/long/kills/imports.ts --kills 100`, and with `--store postgres` (POSTGRES_URL) two processes on
 * one PostgreSQL, which are stopped for longer than their leases, too. Exits with 1 where rows are missing, there twice, or not in the report.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    store: { type: "string", default: "sqlite" },
    clients: { type: "string", default: "2" },
    rows: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-imports-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const random = randomOf(Number(values.seed));
const store: Record<string, string> = schema === undefined ? { SQLITE_PATH: join(folder, "imports.db") } : { DATABASE_URL: await schema.create() };
const begunMs = performance.now();
const report = await importsWhileKilled({
  kills: Number(values.kills),
  workers: schema === undefined ? 1 : 2,
  clients: Number(values.clients),
  rows: Number(values.rows),
  environment: { ...store, BLOBS_PATH: join(folder, "blobs") },
  aliveMs: () => 100 + random() * 900,
  pauses: schema !== undefined,
});
await schema?.drop();
rmSync(folder, { recursive: true, force: true });
const seconds = Math.round((performance.now() - begunMs) / 1_000);
const { imports, completed, rows, resumed, leftOut, faults } = report;
console.log(
  `${values.kills} kills in ${seconds} s: ${imports} imports, ${completed} completed, ${rows} rows, ${resumed} times resumed, ${leftOut} rows left out, ${faults.length} faults`,
);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 && completed > 0 ? 0 : 1;
