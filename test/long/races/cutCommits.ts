import { parseArgs } from "node:util";
import { batchesWithCutCommits } from "../../e2e/faults/cutCommitsRun.js";
import { runScript } from "../../e2e/runScript.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Connections to PostgreSQL break off after it has got a COMMIT, before its answer arrives, at random slices of batches under keys: `npx tsx test/long/races/cutCommits.ts --rounds 100`
 * (POSTGRES_URL). Each batch is sent until it is answered. Exits with 1 if an item is missing or there twice, or a result is missing or names another row.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    items: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
  },
});
if (postgresUrl === undefined) throw new Error("This needs POSTGRES_URL.");
const schema = ownSchema();

await runScript(
  async () => {
    const begunMs = performance.now();
    const report = await batchesWithCutCommits(await schema.create(), Number(values.rounds), Number(values.items), randomOf(Number(values.seed)));
    const { batches, rows, cuts, cutAt, retried, uncut, slowestMs, faults } = report;
    const places = [...cutAt].sort(([one], [other]) => one - other).map(([at, count]) => `${at}: ${count}`);
    console.log(
      `${batches} batches in ${Math.round((performance.now() - begunMs) / 1_000)} s: ${cuts} connections broke off after a COMMIT (by its number in the batch: ${places.join(", ")}), ` +
        `${uncut} batches without, ${rows} rows, ${retried} requests sent again, slowest answer after ${Math.round(slowestMs)} ms, ${faults.length} faults`,
    );
    for (const fault of faults.slice(0, 50)) console.log(fault);
    return faults.length === 0 && cuts > 0;
  },
  () => schema.drop(),
);
