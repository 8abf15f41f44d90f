import { runProgram } from "./runProgram.js";

await runProgram("hooks", "bench/hooks/costs.ts", process.argv.slice(2));
