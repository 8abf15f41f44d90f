import { parseArgs } from "node:util";
import { type PgBouncer, startPgBouncer } from "../../adapters/stores/postgres/pgbouncer.js";
import { sendJob, sendKeyed } from "../../e2e/kills/batchClients.js";
import { batchesWhileKilled } from "../../e2e/kills/batchesWhileKilled.js";
import { keyedWhileKilled } from "../../e2e/kills/keyedWhileKilled.js";
import { runScript } from "../../e2e/runScript.js";
import { randomOf } from "../../fuzz/random.js";
import { isMissing } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Two processes share one PostgreSQL behind PgBouncer in transaction mode, and are killed with SIGKILL while clients send POSTs and batches under keys, and batches as jobs:
 * `npx tsx test/long/races/pooler.ts --kills 100` (POSTGRES_URL, PGBOUNCER). Exits with 1 if a row is missing or there twice, or an answer differs from its repetition; with 2 if there is no PgBouncer.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    clients: { type: "string", default: "8" },
    seed: { type: "string", default: "1" },
  },
});
if (isMissing("postgres") || isMissing("pgbouncer")) {
  console.log("Skipped: this needs POSTGRES_URL, and PgBouncer (`apt-get install pgbouncer`, or PGBOUNCER).");
  process.exit(2);
}
const kills = Number(values.kills);
const random = randomOf(Number(values.seed));
const schemas = [ownSchema(), ownSchema()] as const;
const bouncers: PgBouncer[] = [];

/** The settings of processes that share one schema behind a PgBouncer of its own. */
async function environmentOf(schema: (typeof schemas)[number]): Promise<Record<string, string>> {
  await schema.create();
  const bouncer = await startPgBouncer("transaction", schema.name);
  bouncers.push(bouncer);
  return { DATABASE_URL: bouncer.url };
}

await runScript(
  async () => {
    const aliveMs = () => 100 + random() * 900;
    const half = { kills: Math.ceil(kills / 2), workers: 2, aliveMs };
    const keyed = await keyedWhileKilled({ ...half, clients: Number(values.clients), environment: await environmentOf(schemas[0]) });
    console.log(
      `${half.kills} kills: ${keyed.keys} keys, ${keyed.rows} rows of ${keyed.expectedRows}, ${keyed.retried} requests sent again, ${keyed.faults.length} keys with other rows or answers`,
    );
    for (const fault of keyed.faults.slice(0, 50)) console.log(fault);
    if (keyed.faults.length > 0 || keyed.rows !== keyed.expectedRows || keyed.keys === 0) return false;
    const batches = await batchesWhileKilled({ ...half, clients: [sendKeyed, sendJob], environment: await environmentOf(schemas[1]) });
    console.log(
      `${half.kills} kills: ${batches.batches} batches under keys and as jobs, ${batches.answered} answered, ${batches.rows} rows, ${batches.retried} requests sent again, ` +
        `${batches.givenUp} jobs given up, ${batches.faults.length} faults`,
    );
    for (const fault of batches.faults.slice(0, 50)) console.log(fault);
    return batches.faults.length === 0 && batches.answered > 0;
  },
  async () => {
    for (const bouncer of bouncers) bouncer.end();
    for (const schema of schemas) await schema.drop();
  },
);
