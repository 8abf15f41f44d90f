import { runProgram } from "../tools/runProgram.js";

await runProgram("tables", "bench/tables/costs.ts", process.argv.slice(2));
