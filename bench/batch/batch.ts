import { feathersName, feathersPackages } from "../peers/feathers.js";
import { buildPrograms } from "../tools/build.js";
import { type InstalledPeer, installPeer } from "../tools/installPeer.js";
import { formatHeat, formatHeats, type Heat } from "../tools/raceReport.js";
import { describeRun } from "../tools/report.js";
import type { Store } from "../tools/serverOptions.js";
import { contestHeat } from "./contest.js";
import { type BatchPrograms, startEntrants } from "./entrants.js";
import { measureExecutor } from "./executor.js";
import { measureBatches } from "./measureBatches.js";
import { readBatchOptions } from "./options.js";
import { requireSameResults } from "./requireSameResults.js";

const options = readBatchOptions();
const programs: BatchPrograms & { readonly executor: string } = await buildPrograms("batch", {
  restwright: "bench/requests/restwright.ts",
  floor: "bench/floor/main.ts",
  jsonEach: "bench/batch/jsonEachServer.ts",
  feathers: "bench/peers/feathersServer.ts",
  executor: "bench/batch/executorMain.ts",
});
const stores = options.contests.filter((contest) => contest !== "executor");
const peer = options.peer && stores.length > 0 ? await installPeer(feathersName, feathersPackages) : undefined;
const heats: Heat[] = [];

async function raceOn(store: Store, installed: InstalledPeer | undefined): Promise<Heat> {
  const entrants = await startEntrants(programs, store, { peer: installed, profile: options.profile });
  try {
    await requireSameResults(entrants);
    return contestHeat(`fastify, ${store}, µs per user`, entrants, await measureBatches(entrants, options));
  } finally {
    for (const entrant of entrants) await entrant.stop();
  }
}

try {
  for (const contest of options.contests) {
    if (contest === "postgres" && process.env["POSTGRES_URL"] === undefined) {
      console.log("postgres: skipped. PostgreSQL is measured where POSTGRES_URL names a server.\n");
      continue;
    }
    const heat = contest === "executor" ? await measureExecutor(programs.executor, options.rounds) : await raceOn(contest, peer);
    heats.push(heat);
    console.log(`${formatHeat(heat)}\n`);
  }
} finally {
  await peer?.remove();
}

const run = describeRun(new Date());
if (options.markdown) console.log(`${run.date}, Node ${run.node}, ${run.machine}.\n\n${formatHeats(heats)}`);
