import { parseArgs } from "node:util";
import { type Runner, race } from "./race.js";
import { type Comparison, formatHeat, formatHeats, type Heat } from "./raceReport.js";
import { describeRun } from "./report.js";
import { wholeNumber } from "./wholeNumber.js";

/** Runners that are to be compared. */
export interface Entry {
  readonly title: string;
  readonly runners: readonly Runner[];
  readonly comparisons: readonly Comparison[];
}

/** Runs the races one after the other as the command line says, and prints each as soon as it is over. */
export function runRaces(entries: readonly Entry[]): void {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "11" },
      milliseconds: { type: "string", default: "200" },
      only: { type: "string", default: "" },
      markdown: { type: "boolean", default: false },
    },
  });
  const amount = { rounds: wholeNumber("rounds", values.rounds), milliseconds: wholeNumber("milliseconds", values.milliseconds) };
  const heats: Heat[] = [];
  for (const { title, runners, comparisons } of entries.filter((entry) => entry.title.includes(values.only))) {
    const heat: Heat = { title, figures: race(runners, amount), comparisons };
    heats.push(heat);
    console.log(`${formatHeat(heat)}\n`);
  }
  const run = describeRun(new Date());
  if (values.markdown) console.log(`${run.date}, Node ${run.node}, ${run.machine}.\n\n${formatHeats(heats)}`);
}
