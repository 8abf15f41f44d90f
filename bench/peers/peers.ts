import { parseArgs } from "node:util";
import { buildPrograms } from "../tools/build.js";
import { installPeer } from "../tools/installPeer.js";
import { type Comparison, formatHeat, formatHeats, type Heat } from "../tools/raceReport.js";
import { describeRun } from "../tools/report.js";
import { oneOf } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import { type PeerPrograms, startEntrants } from "./entrants.js";
import { feathersName, feathersPackages } from "./feathers.js";
import { labelOf, measureRequests } from "./measureRequests.js";
import { platformaticName, platformaticPackages } from "./platformatic.js";
import { kinds } from "./requests.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    requests: { type: "string", default: "1000" },
    store: { type: "string", multiple: true, default: ["memory", "sqlite"] },
    kind: { type: "string", multiple: true, default: [...kinds] },
    markdown: { type: "boolean", default: false },
  },
});
const amount = { rounds: wholeNumber("rounds", values.rounds), requests: wholeNumber("requests", values.requests) };
const stores = values.store.map((store) => oneOf("store", store, ["memory", "sqlite"]));
const measured = values.kind.map((kind) => oneOf("kind", kind, kinds));
const programs: PeerPrograms = await buildPrograms("peers", {
  restwright: "bench/requests/restwright.ts",
  floor: "bench/floor/main.ts",
  feathers: "bench/peers/feathersServer.ts",
  platformatic: "bench/peers/platformaticServer.ts",
});
const feathers = await installPeer(feathersName, feathersPackages);
const platformatic = stores.includes("sqlite") ? await installPeer(platformaticName, platformaticPackages, true) : undefined;
const heats: Heat[] = [];

try {
  for (const store of stores) {
    const entrants = await startEntrants(programs, store, { feathers, platformatic });
    try {
      const figures = await measureRequests(entrants, measured, amount);
      const [own, ...others] = entrants;
      const comparisons = others.flatMap((other) =>
        own === undefined
          ? []
          : measured.map(
              (kind): Comparison => ({ one: labelOf(own, kind), other: labelOf(other, kind), bar: other.name === "by hand" ? undefined : 1 }),
            ),
      );
      const heat: Heat = { title: `peers, ${store}`, figures, comparisons };
      heats.push(heat);
      console.log(`${formatHeat(heat)}\n`);
    } finally {
      for (const entrant of entrants) await entrant.stop();
    }
  }
} finally {
  await feathers?.remove();
  await platformatic?.remove();
}

const run = describeRun(new Date());
if (values.markdown) console.log(`${run.date}, Node ${run.node}, ${run.machine}.\n\n${formatHeats(heats)}`);
