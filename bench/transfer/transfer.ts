import { parseArgs } from "node:util";
import { buildPrograms } from "../tools/build.js";
import { type Comparison, formatHeat, formatHeats, type Heat } from "../tools/raceReport.js";
import { describeRun } from "../tools/report.js";
import { oneOf, type Store } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import { type Name, names } from "./names.js";
import { TransferProcess } from "./turns.js";

/**
 * Imports and exports against what a good engineer would write by hand for one table, with the same schema and store. `npx tsx bench/transfer/transfer.ts`, with
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

/** At most 1.25 times the CPU time of what is written by hand, with the faster of two parsers; NDJSON at most 0.71 times CSV; an update at most 3 times an insert. */
const bars = { byHand: 1.25, ndjson: 0.71, update: 3 };

const warmUpRounds = 2;

/** Microseconds a row by the names of the transfers, a figure a round. */
interface TransferFigures {
  readonly cpu: ReadonlyMap<string, number[]>;
  readonly wall: ReadonlyMap<string, number[]>;
}

/** Lets each have its turn, round by round. */
async function measure(store: Store, main: string): Promise<TransferFigures> {
  const wanted = Object.values(names).filter((name) => transfers.length === 0 || transfers.includes(name));
  const processes: TransferProcess[] = [];
  for (const name of wanted.filter((each) => store === "postgres" || each !== names.copy)) {
    const file = `${store}, ${name}.cpuprofile`;
    const profiling = values.profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", values.profile, "--cpu-prof-name", file];
    processes.push(await TransferProcess.start(main, name, [store, String(rows), name], profiling));
  }
  const cpu = new Map(processes.map(({ name }): [string, number[]] => [name, []]));
  const wall = new Map(processes.map(({ name }): [string, number[]] => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const each of processes) {
      const turn = await each.turn(round);
      if (round < 0) continue;
      cpu.get(each.name)?.push(turn.cpuMicroseconds / turn.rows);
      wall.get(each.name)?.push(turn.microseconds / turn.rows);
    }
  }
  for (const each of processes) await each.stop();
  return { cpu, wall };
}

function heatsOf(store: Store, { cpu, wall }: TransferFigures): readonly Heat[] {
  const all: readonly (Comparison & { readonly one: Name; readonly other: Name })[] = [
    { one: names.csv, other: names.papaParse, bar: bars.byHand },
    { one: names.csv, other: names.csvParse },
    { one: names.csvUpdate, other: names.csv, bar: bars.update },
    { one: names.ndjson, other: names.csv, bar: bars.ndjson },
    { one: names.ndjson, other: names.ndjsonByHand, bar: bars.byHand },
    { one: names.export, other: names.exportByHand, bar: bars.byHand },
    { one: names.export, other: names.exportStringify },
    { one: names.exportNdjson, other: names.exportNdjsonByHand, bar: bars.byHand },
    { one: names.csv, other: names.copy },
  ];
  const comparisons = all.filter(({ one, other }) => cpu.has(one) && cpu.has(other));
  const own = comparisons.filter(({ other }) => other !== names.copy);
  return [
    { title: `${store}, µs of CPU time a row`, figures: cpu, comparisons: own },
    { title: `${store}, µs a row`, figures: wall, comparisons: comparisons.map(({ bar: _, ...pair }) => pair) },
  ];
}

const { main } = await buildPrograms("transfer", { main: "bench/transfer/main.ts" });
const heats: Heat[] = [];
for (const store of stores) {
  if (store === "postgres" && process.env["POSTGRES_URL"] === undefined) {
    console.log("postgres: skipped. PostgreSQL is measured where POSTGRES_URL names a server.\n");
    continue;
  }
  const figures = await measure(store, main);
  for (const heat of heatsOf(store, figures)) {
    heats.push(heat);
    console.log(`${formatHeat(heat)}\n`);
  }
}
const run = describeRun(new Date());
if (values.markdown) console.log(`${run.date}, Node ${run.node}, ${run.machine}.\n\n${formatHeats(heats)}`);
