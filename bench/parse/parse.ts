import { runProgram } from "../tools/runProgram.js";

await runProgram("parse", "bench/parse/main.ts", process.argv.slice(2));
