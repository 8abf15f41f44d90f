import { integer, randomOf } from "../fuzz/random.js";

/**
 * Whether this run tries everything. TEST_EXTENT=full does (`.ci/full` sets it; `gate` leaves out long files, see `vitest.config.ts`); without it the tests that multiply ways, rules, stores and kills try a sample, properties a tenth
 * of their runs, and one answer of each kind is compared with the OpenAPI document.
 */
export const isFull = process.env["TEST_EXTENT"] === "full";

/** What the sample of this run is chosen by. `vitest.config.ts` sets a new one for each run; `TEST_SEED=…` repeats one. */
export const seed = Number(process.env["TEST_SEED"] || 1);

/** The part of the cases that a sample has. */
const part = 0.2;

/**
 * A fifth of the cases, in their order, and at least one; all of them in a full run.
 *
 * @param salt tells apart the samples of one run, such as the name of the store
 */
export function sampled<T>(cases: readonly T[], salt: string): readonly T[] {
  if (isFull) return cases;
  const random = randomOf([...salt].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 2 ** 32, seed));
  const chosen = cases.filter(() => random() < part);
  return chosen.length > 0 ? chosen : cases.slice(0, 1);
}

/** All variants in a full run, otherwise the one that the seed of the run chooses: what they prove is the same on each of them but for what another test proves already. */
export function oneOf<T>(all: readonly T[]): readonly T[] {
  return isFull ? all : all.slice(seed % all.length, (seed % all.length) + 1);
}

/**
 * Each pair of two lists in a full run; otherwise as few pairs as name every member of both, so that each host and each store is there once or more. The seed of the run chooses
 * which of them meet.
 */
export function pairs<First, Second>(first: readonly First[], second: readonly Second[]): readonly (readonly [First, Second])[] {
  const all = first.map((one) => second.map((other) => [one, other] as const));
  if (isFull) return all.flat();
  return Array.from({ length: Math.max(first.length, second.length) }, (_, index) => {
    const row = all[index % first.length] as (typeof all)[number];
    return row[(index + seed) % second.length] as readonly [First, Second];
  });
}

/** What the name of a sampled group of tests ends with, so that a failure can be repeated. */
export const sampleNote = isFull ? "" : ` (a sample: TEST_SEED=${seed})`;

/**
 * The next number of a call at which a process dies: each in a full run, otherwise every fifth on average. `for (let call = nextCall(0); call <= calls; call = nextCall(call))`
 * goes through them.
 */
export function nextCall(call: number): number {
  return isFull ? call + 1 : call + 1 + integer(randomOf(seed * 1_000 + call), 2 / part - 1);
}

/** How often a race is run: as often as a full run wants, otherwise a fifth of that. */
export function roundsOf(rounds: number): number {
  return isFull ? rounds : Math.ceil(rounds * part);
}

/** How often processes are killed: five times each kind, or as often as a full run wants. */
export function killsOf(kills: number): number {
  return isFull ? kills : Math.min(kills, 5);
}
