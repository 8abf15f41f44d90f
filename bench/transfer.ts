import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { buildPrograms } from "./build.js";
import { type Comparison, formatHeat, formatHeats, type Heat } from "./raceReport.js";
import { describeRun } from "./report.js";
import { oneOf, type Store } from "./serverOptions.js";
import type { TransferFigures } from "./transfer/main.js";
import { type Name, names } from "./transfer/names.js";
import { wholeNumber } from "./wholeNumber.js";

/**
 * Imports and exports against what a good engineer would write by hand for one table, with the same schema and store. `npx tsx bench/transfer.ts`, with
 * `POSTGRES_URL` on PostgreSQL as well, whose role may create databases. `--transfer` runs one of `names` only.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    rows: { type: "string", default: "50000" },
    only: { type: "string", multiple: true, default: [] },
    transfer: { type: "string", multiple: true, default: [] },
    profile: { type: "string" },
    markdown: { type: "boolean", default: false },
  },
});
const rounds = wholeNumber("rounds", values.rounds);
const rows = wholeNumber("rows", values.rows);
const stores: readonly Store[] =
  values.only.length === 0 ? ["sqlite", "postgres"] : values.only.map((store) => oneOf("only", store, ["sqlite", "postgres"]));
const transfers = values.transfer.map((name) => oneOf("transfer", name, Object.values(names)));

/** At most 1.25 times the CPU time of what is written by hand, with the faster of two parsers; NDJSON at most 0.71 times CSV. */
const bars = { byHand: 1.25, ndjson: 0.71 };

function heatsOf(store: Store, { cpu, wall }: TransferFigures): readonly Heat[] {
  const measured = new Set(cpu.map(([name]) => name));
  const all: readonly (Comparison & { readonly one: Name; readonly other: Name })[] = [
    { one: names.csv, other: names.papaParse, bar: bars.byHand },
    { one: names.csv, other: names.csvParse },
    { one: names.ndjson, other: names.csv, bar: bars.ndjson },
    { one: names.ndjson, other: names.ndjsonByHand, bar: bars.byHand },
    { one: names.export, other: names.exportByHand, bar: bars.byHand },
    { one: names.export, other: names.exportStringify },
    { one: names.exportNdjson, other: names.exportNdjsonByHand, bar: bars.byHand },
    { one: names.csv, other: names.copy },
  ];
  const comparisons = all.filter(({ one, other }) => measured.has(one) && measured.has(other));
  const own = comparisons.filter(({ other }) => other !== names.copy);
  return [
    { title: `${store}, µs of CPU time a row`, figures: new Map(cpu), comparisons: own },
    { title: `${store}, µs a row`, figures: new Map(wall), comparisons: comparisons.map(({ bar: _, ...pair }) => pair) },
  ];
}

const { main } = await buildPrograms("transfer", { main: "bench/transfer/main.ts" });
const heats: Heat[] = [];
for (const store of stores) {
  if (store === "postgres" && process.env["POSTGRES_URL"] === undefined) {
    console.log("postgres: skipped. PostgreSQL is measured where POSTGRES_URL names a server.\n");
    continue;
  }
  const profiling = values.profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", values.profile, "--cpu-prof-name", `${store}.cpuprofile`];
  const child = fork(main, [store, String(rows), String(rounds), ...transfers], { execArgv: profiling });
  const [figures] = (await once(child, "message")) as [TransferFigures];
  for (const heat of heatsOf(store, figures)) {
    heats.push(heat);
    console.log(`${formatHeat(heat)}\n`);
  }
}
const run = describeRun(new Date());
if (values.markdown) console.log(`${run.date}, Node ${run.node}, ${run.machine}.\n\n${formatHeats(heats)}`);
