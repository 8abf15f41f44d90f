import { buildPrograms } from "../tools/build.js";
import { formatHeat, formatHeats, type Heat } from "../tools/raceReport.js";
import { describeRun } from "../tools/report.js";
import { contestHeat } from "./contest.js";
import { startEntrants } from "./entrants.js";
import { measurePosts } from "./measurePosts.js";
import { readIdempotencyOptions } from "./options.js";
import { whySkipped } from "./whySkipped.js";

const options = readIdempotencyOptions();
const programs = await buildPrograms("idempotency", {
  restwright: "bench/requests/restwright.ts",
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
