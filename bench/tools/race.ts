import { type Summary, summarize } from "./statistics.js";

/** One way to do a piece of work, within this process. */
export interface Runner {
  readonly name: string;
  /** Does the work once. @param turn counts from 0; which of several inputs to take */
  run(turn: number): unknown;
}

/** How much is measured. */
export interface RaceAmount {
  readonly rounds: number;
  /** CPU time of one runner in one round, about. */
  readonly milliseconds: number;
}

/** Microseconds of CPU time that each runner took to do the work once: one figure a round. */
export type Race = ReadonlyMap<string, readonly number[]>;

const firstTurns = 64;

/** Large functions are compiled late, and what was assumed while few inputs were known is thrown away once more. */
const warmUpRounds = 5;

/** Warms all runners up, then measures them in turn, round by round: whatever slows the machine down for a while slows all of them. */
export function race(runners: readonly Runner[], { rounds, milliseconds }: RaceAmount): Race {
  const turns = runners.map((runner) => turnsWithin(runner, milliseconds));
  const figures = new Map(runners.map(({ name }): [string, number[]] => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const [index, runner] of runners.entries()) {
      const figure = measure(runner, turns[index] ?? firstTurns);
      if (round >= 0) figures.get(runner.name)?.push(figure);
    }
  }
  return figures;
}

/** The figures of one runner. @throws {Error} where there is none of that name */
export function figuresOf(figures: Race, name: string): readonly number[] {
  const found = figures.get(name);
  if (found === undefined) throw new Error(`Nobody is called "${name}".`);
  return found;
}

/** The ratios of two runners, round by round. */
export function ratioOf(figures: Race, one: string, other: string): Summary {
  const others = figuresOf(figures, other);
  return summarize(figuresOf(figures, one).map((figure, round) => figure / (others[round] ?? Number.NaN)));
}

/** Doubles the work until it takes its time. */
function turnsWithin(runner: Runner, milliseconds: number): number {
  for (let turns = firstTurns; ; turns *= 2) {
    const took = measure(runner, turns) * turns;
    if (took > 500 * milliseconds) return Math.max(firstTurns, Math.round((turns * milliseconds * 1_000) / took));
  }
}

/** Results are kept where the compiler cannot know that nobody looks at them. */
const results: unknown[] = Array.from({ length: 64 });

/** Without a forced garbage collection before it: that throws the compiler's knowledge of idle code away, which no server does. */
function measure({ run }: Runner, turns: number): number {
  const before = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) results[turn & 63] = run(turn);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / turns;
}
