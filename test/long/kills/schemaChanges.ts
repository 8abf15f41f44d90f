import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { changedWhileServing } from "../../e2e/kills/schemaChangeRun.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Replaces one release by another while clients write: `npx tsx test/long/kills/schemaChanges.ts --runs 10`, and with `--store postgres` (POSTGRES_URL) on PostgreSQL. Exits with 1 if a request
 * failed or a value was lost.
 */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "10" },
    store: { type: "string", default: "sqlite" },
    clients: { type: "string", default: "8" },
    seconds: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const total = { requests: 0, rows: 0, lateRows: 0, faults: 0 };
for (let count = 0; count < Number(values.runs); count++) {
  const folder = mkdtempSync(join(tmpdir(), "restwright-changes-"));
  const schema = values.store === "postgres" ? ownSchema() : undefined;
  const environment: Record<string, string> =
    schema === undefined ? { SQLITE_PATH: join(folder, "items.db") } : { DATABASE_URL: await schema.create() };
  const { requests, rows, lateRows, faults } = await changedWhileServing({
    clients: Number(values.clients),
    stepMs: 1_000 * Number(values.seconds),
    random: randomOf(Number(values.seed) + count),
    environment,
  });
  for (const fault of faults.slice(0, 20)) console.log(fault);
  total.requests += requests;
  total.rows += rows;
  total.lateRows += lateRows;
  total.faults += faults.length;
  await schema?.drop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `${values.runs} changes: ${total.requests} requests, ${total.rows} rows, ${total.lateRows} of them made by the earlier release beside the later one, ${total.faults} faults`,
);
process.exitCode = total.faults === 0 && total.lateRows > 0 ? 0 : 1;
