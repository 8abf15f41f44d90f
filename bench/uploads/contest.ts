import type { Race } from "../tools/race.js";
import type { Comparison, Heat } from "../tools/raceReport.js";
import { type Summary, summarize } from "../tools/statistics.js";
import { type MeasuredUploads, measureUploads, type UploadWork } from "./measureUploads.js";
import type { Quantity } from "./quantity.js";

/** Works that are to be compared. */
export interface Contest {
  readonly title: string;
  readonly works: readonly UploadWork[];
  readonly quantity: Quantity;
  /** Comparisons with works that do not take part are left out. */
  readonly comparisons: readonly UploadComparison[];
}

/** Two works, and the most that their ratios may be: `bar` of the time, `cpuBar` of the CPU time of the server. */
export interface UploadComparison extends Comparison {
  readonly cpuBar?: number | undefined;
}

/** What one work came to. */
export interface Outcome {
  readonly name: string;
  /** In the contest's unit. */
  readonly speed: Summary;
  /** Resident memory at its most, beyond the idle server's, in bytes. */
  readonly memoryBytes: number;
}

/** What a contest came to. */
export interface ContestResult {
  readonly title: string;
  readonly speedUnit: string;
  /** Time, and CPU time of the server. */
  readonly heats: readonly [Heat, Heat];
  readonly outcomes: readonly Outcome[];
}

export async function runContest(contest: Contest, rounds: number): Promise<ContestResult> {
  const { title, works, quantity } = contest;
  const measured = await measureUploads(works, rounds);
  return { title, speedUnit: quantity.speedUnit, heats: heatsOf(contest, measured), outcomes: works.map(({ name }) => outcomeOf(name)) };

  function outcomeOf(name: string): Outcome {
    const microseconds = measured.wall.get(name) ?? [];
    return { name, speed: summarize(microseconds.map(quantity.speed)), memoryBytes: measured.memory.get(name) ?? 0 };
  }
}

function heatsOf({ title, works, quantity, comparisons }: Contest, { wall, cpu }: MeasuredUploads): readonly [Heat, Heat] {
  const names = new Set(works.map(({ name }) => name));
  const present = comparisons.filter(({ one, other }) => names.has(one) && names.has(other));
  const { unit } = quantity;
  return [
    { title: `${title}: time`, unit, figures: scaled(wall, quantity), comparisons: present.map(({ one, other, bar }) => ({ one, other, bar })) },
    {
      title: `${title}: CPU time of the server`,
      unit,
      figures: scaled(cpu, quantity),
      comparisons: present.map(({ one, other, cpuBar }) => ({ one, other, bar: cpuBar })),
    },
  ];
}

function scaled(race: Race, { figure }: Quantity): Race {
  return new Map([...race].map(([name, microseconds]) => [name, microseconds.map(figure)]));
}
