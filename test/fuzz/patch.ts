import { parseArgs } from "node:util";
import { fuzzPatches } from "./patchFuzz.js";

/** A million broken patches: `npx tsx test/fuzz/patch.ts --runs 1000000 --seed 1`. Ends with the patch, and with 1, where one is not answered as it should be. */
const { values } = parseArgs({ options: { runs: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } } });

const start = performance.now();
const { outcomes, slowestMs, slowest } = fuzzPatches(Number(values.runs), Number(values.seed));
const seconds = ((performance.now() - start) / 1_000).toFixed(1);
process.stdout.write(
  [
    `${values.runs} patches of seed ${values.seed} in ${seconds} s`,
    `applied ${outcomes.applied}, PATCH_CONFLICT ${outcomes.conflict}, PATCH_MALFORMED ${outcomes.malformed}`,
    `slowest, checks included: ${slowestMs.toFixed(1)} ms for ${slowest.slice(0, 200)}`,
    "",
  ].join("\n"),
);
