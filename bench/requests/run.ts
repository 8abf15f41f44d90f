import { writeFile } from "node:fs/promises";
import { buildServers } from "../tools/build.js";
import { describeRun, formatLine, formatMarkdown, type Result } from "../tools/report.js";
import { barOf } from "./bars.js";
import { measure } from "./measure.js";
import { readRunOptions } from "./options.js";
import { startPair } from "./pair.js";
import { requireSameAnswers } from "./sameAnswers.js";

const options = readRunOptions();
const programs = await buildServers();
const results: Result[] = [];

for (const [host, store] of options.pairs) {
  const pair = await startPair(programs, host, store);
  try {
    await requireSameAnswers(pair);
    for (const workload of options.workloads) {
      const bar = barOf(host, store, workload.name);
      const result: Result = { host, store, workload: workload.name, bar, ...(await measure(pair, workload, options)) };
      results.push(result);
      console.log(formatLine(result));
    }
  } finally {
    await pair.stop();
  }
}

const run = describeRun(new Date());
if (options.json !== undefined)
  await writeFile(options.json, `${JSON.stringify({ ...run, rounds: options.rounds, requests: options.requests, results }, null, 2)}\n`);
if (options.markdown) console.log(`\n${formatMarkdown(results, run)}`);
