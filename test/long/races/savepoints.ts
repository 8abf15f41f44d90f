import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { besideSavepoints } from "../../e2e/faults/savepointsRun.js";
import { runScript } from "../../e2e/runScript.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Hooks leave savepoints behind: they run out of time, or stand beside a branch that refuses, and go on while other requests write in savepoints of their own:
 * `npx tsx test/long/races/savepoints.ts --rounds 100`, and with `--store postgres` (POSTGRES_URL) with a pool of two connections. Exits with 1 if one of the other requests fails or lacks a row, or
 * if a hook writes after its request.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    store: { type: "string", default: "sqlite" },
    seed: { type: "string", default: "1" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-savepoints-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
// Two connections, so that the next request gets the one that the hook has left.
const storage =
  schema === undefined
    ? sqliteStorage({ path: join(folder, "orders.db") })
    : postgresStorage({ connectionString: await schema.create(), poolSize: 2 });

await runScript(
  async () => {
    const begunMs = performance.now();
    const { offenders, lateCalls, innocents, faults } = await besideSavepoints(storage, Number(values.rounds), randomOf(Number(values.seed)));
    const seconds = Math.round((performance.now() - begunMs) / 1_000);
    console.log(
      `${offenders} hooks left a savepoint behind in ${seconds} s, ${values.store}: ${lateCalls} of their calls were refused; ${innocents} requests beside them, ${faults.length} faults`,
    );
    for (const fault of faults.slice(0, 50)) console.log(fault);
    return faults.length === 0 && lateCalls > 0;
  },
  async () => {
    await storage.close?.();
    await schema?.drop();
    rmSync(folder, { recursive: true, force: true });
  },
);
