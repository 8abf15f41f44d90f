import { contestHeat } from "./batch/contest.js";
import { type BatchPrograms, startEntrants } from "./batch/entrants.js";
import { measureExecutor } from "./batch/executor.js";
import { measureBatches } from "./batch/measureBatches.js";
import { readBatchOptions } from "./batch/options.js";
import { requireSameResults } from "./batch/requireSameResults.js";
import { buildPrograms } from "./build.js";
import { type InstalledPeer, installPeer } from "./installPeer.js";
import { feathersName, feathersPackages } from "./peers/feathers.js";
import { formatHeat, formatHeats, type Heat } from "./raceReport.js";
import { describeRun } from "./report.js";
import type { Store } from "./serverOptions.js";

const options = readBatchOptions();
const programs: BatchPrograms & { readonly executor: string } = await buildPrograms("batch", {
  restwright: "bench/restwright.ts",
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
