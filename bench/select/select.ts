import { runProgram } from "../tools/runProgram.js";

await runProgram("select", "bench/select/main.ts", process.argv.slice(2));
