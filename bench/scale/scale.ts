import { runProgram } from "../tools/runProgram.js";

await runProgram("scale", "bench/scale/main.ts", process.argv.slice(2));
