import { writeRun } from "../record/recordedRun.js";
import { versionsOf } from "../record/versions.js";
import { buildServers } from "../tools/build.js";
import { describeRun, formatResult, type Result } from "../tools/report.js";
import { barsOf } from "./bars.js";
import { measure } from "./measure.js";
import { readRunOptions } from "./options.js";
import { startPair } from "./pair.js";
import { requireSameAnswers } from "./sameAnswers.js";

const { pairs, workloads, json, busy, ...amount } = readRunOptions(process.argv.slice(2), process.env["POSTGRES_URL"] !== undefined);
const programs = await buildServers();
const results: Result[] = [];

for (const [host, store] of pairs) {
  const pair = await startPair(programs, host, store);
  try {
    await requireSameAnswers(pair);
    for (const workload of workloads) {
      const { p50, p99, ...costs } = await measure(pair, workload, amount);
      const result: Result = { host, store, workload: workload.name, ...costs, ...(!busy && { p50, p99 }) };
      results.push(result);
      console.log(formatResult(result, barsOf({ host, store, workload: workload.name, connections: amount.connections })));
    }
  } finally {
    await pair.stop();
  }
}

if (json !== undefined) {
  const missing = [
    ...(busy ? [{ field: "p50, p99", reason: "The machine did other work." }] : []),
    ...(results.some(({ store, together }) => store === "postgres" && together === undefined)
      ? [{ field: "together", reason: "The processes of PostgreSQL could not be read." }]
      : []),
  ];
  writeRun(json, { kind: "requests", ...describeRun(new Date()), versions: await versionsOf(pairs), ...amount, missing, results });
}
