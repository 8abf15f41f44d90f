import { runProgram } from "./runProgram.js";

await runProgram("rateLimit", "bench/rateLimit/main.ts", process.argv.slice(2));
