import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { postgresExecutor } from "../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { measureClaims } from "../../adapters/stores/sql/records/webhookClaims.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Claims deliveries to twenty webhooks while very many wait for another: `npx tsx test/long/races/claims.ts --rows 300000`, and with `--store postgres`
 * (POSTGRES_URL) on PostgreSQL. Exits with 1 where a claim takes over four times as long as with 300 waiting, or leaves one of the twenty out.
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "300000" },
    store: { type: "string", default: "sqlite" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-claims-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const path = join(folder, "claims.db");
const connectionString = (await schema?.create()) ?? "";
const storage = schema === undefined ? sqliteStorage({ path }) : postgresStorage({ connectionString });
const executor = schema === undefined ? sqliteExecutor({ path }) : postgresExecutor({ connectionString });
await storage.migrate?.([]);
const begunMs = performance.now();
const { fewMs, manyMs, unfair } = await measureClaims(storage, executor, Number(values.rows));
const seconds = Math.round((performance.now() - begunMs) / 1_000);
await storage.close?.();
await executor.close?.();
await schema?.drop();
rmSync(folder, { recursive: true, force: true });
console.log(
  `${values.rows} deliveries waiting, in ${seconds} s: a claim takes ${manyMs.toFixed(1)} ms, with 300 ${fewMs.toFixed(1)} ms; ${unfair} claims were unfair`,
);
process.exitCode = unfair === 0 && manyMs < fewMs * 4 + 5 ? 0 : 1;
