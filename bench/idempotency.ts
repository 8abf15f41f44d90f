import { buildPrograms } from "./build.js";
import { contestHeat } from "./idempotency/contest.js";
import { startEntrants } from "./idempotency/entrants.js";
import { measurePosts } from "./idempotency/measurePosts.js";
import { readIdempotencyOptions } from "./idempotency/options.js";
import { whySkipped } from "./idempotency/whySkipped.js";
import { formatHeat, formatHeats, type Heat } from "./raceReport.js";
import { describeRun } from "./report.js";

const options = readIdempotencyOptions();
const programs = await buildPrograms("idempotency", {
  restwright: "bench/restwright.ts",
  redis: "bench/idempotency/redisServer.ts",
  peer: "bench/idempotency/peerServer.ts",
});
const heats: Heat[] = [];

for (const contest of options.contests) {
  const reason = whySkipped(contest);
  if (reason !== undefined) {
    console.log(`${contest}: skipped. ${reason}\n`);
    continue;
  }
  const entrants = await startEntrants(programs, contest);
  try {
    const heat = contestHeat(contest, entrants, await measurePosts(entrants, options));
    heats.push(heat);
    console.log(`${formatHeat(heat)}\n`);
  } finally {
    for (const entrant of entrants) await entrant.stop();
  }
}

const run = describeRun(new Date());
if (options.markdown) console.log(`${run.date}, Node ${run.node}, ${run.machine}.\n\n${formatHeats(heats)}`);
