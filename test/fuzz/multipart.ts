import { parseArgs } from "node:util";
import { fuzzForms } from "./fuzzMultipart.js";

// npx tsx test/fuzz/multipart.ts [--seed 1] [--runs 1000000]
const { values } = parseArgs({ options: { seed: { type: "string" }, runs: { type: "string", default: "1000000" } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
process.stdout.write(`seed ${seed}\n`);
const { accepted, refused } = await fuzzForms(seed, Number(values.runs));
for (const [problem, count] of [...refused].sort(([, left], [, right]) => right - left))
  process.stdout.write(`${String(count).padStart(9)} ${problem}\n`);
process.stdout.write(`${String(accepted).padStart(9)} accepted\n`);
