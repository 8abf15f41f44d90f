import { parseArgs } from "node:util";
import { runProgram } from "../tools/runProgram.js";
import { oneOf, stores } from "../tools/serverOptions.js";

const { values } = parseArgs({
  options: {
    store: { type: "string", multiple: true, default: process.env["POSTGRES_URL"] === undefined ? ["memory", "sqlite"] : [...stores] },
    sizes: { type: "string", default: "1000,10000,100000,1000000" },
    rounds: { type: "string", default: "5" },
    milliseconds: { type: "string", default: "100" },
    markdown: { type: "boolean", default: false },
  },
});

// Each store in a process of its own: the rows of one are no garbage of another.
for (const store of values.store.map((value) => oneOf("store", value, stores))) {
  const { sizes, rounds, milliseconds, markdown } = values;
  const amount = ["--sizes", sizes, "--rounds", rounds, "--milliseconds", milliseconds];
  await runProgram("lists", "bench/lists/main.ts", ["--store", store, ...amount, ...(markdown ? ["--markdown"] : [])]);
}
