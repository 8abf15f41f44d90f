import { runProgram } from "../tools/runProgram.js";

await runProgram("hooks", "bench/capabilities/costs.ts", process.argv.slice(2));
