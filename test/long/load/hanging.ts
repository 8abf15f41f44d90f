import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { measureHanging } from "../../capabilities/webhooks/delivery/hangingStage.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * How long webhooks that answer wait for their events while others hang for 30 s a time, with an event a second for each:
 * `npx tsx test/long/load/hanging.ts --tenants 1 --hooks 100 --seconds 90`, with `--same` webhooks of the same tenant, with `--store postgres` on
 * POSTGRES_URL. Exits with 1 where the slowest hundredth waits for more than a second.
 */
const { values } = parseArgs({
  options: {
    tenants: { type: "string", default: "1" },
    hooks: { type: "string", default: "100" },
    same: { type: "boolean", default: false },
    seconds: { type: "string", default: "90" },
    store: { type: "string", default: "sqlite" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");

const folder = mkdtempSync(join(tmpdir(), "restwright-hanging-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const storage =
  schema === undefined ? sqliteStorage({ path: join(folder, "hanging.db") }) : postgresStorage({ connectionString: await schema.create() });
const [tenants, hooks, seconds] = [Number(values.tenants), Number(values.hooks), Number(values.seconds)];
const { p50Ms, p99Ms, deliveries, hung, again } = await measureHanging({
  storage,
  tenants,
  hooks,
  isSameTenant: values.same,
  headTimeoutMs: 30_000,
  seconds,
});
console.log(
  `${tenants} tenants with ${hooks} webhooks each that hang, ${seconds} s, ${hung} attempts hung: ${deliveries} deliveries to webhooks of ${values.same ? "the same" : "another"} tenant, median ${p50Ms} ms, p99 ${p99Ms} ms; ${again} were sent again`,
);
await schema?.drop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = p99Ms < 1_000 ? 0 : 1;
