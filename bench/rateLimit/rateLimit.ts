import { runProgram } from "../tools/runProgram.js";

await runProgram("rateLimit", "bench/rateLimit/main.ts", process.argv.slice(2));
