import { ProblemError, problemDocument } from "../../src/ground/problem/index.js";
import { parse, search } from "../language/query/language.js";
import { randomQuery, randomSearch } from "./mutate.js";
import { randomOf } from "./random.js";

/** What became of the queries of a run. */
export interface FuzzReport {
  readonly seed: number;
  readonly runs: number;
  readonly accepted: number;
  /** Problems by status and code. */
  readonly refused: ReadonlyMap<string, number>;
  readonly totalMs: number;
  readonly slowestMs: number;
}

/** A query that ended in something else than a result or a problem of the client's, or took too long. */
export class FuzzFailure extends Error {
  override readonly name = "FuzzFailure";
}

/** Longest that one query may take, in milliseconds. */
const slowestMs = 50;

/** What takes longer is measured again. */
const doubtfulMs = 2;

/**
 * Parses that many damaged queries, half of them query strings and half of them searches in bodies.
 *
 * @throws {FuzzFailure} for the first one that goes wrong
 */
export function fuzzQueries(seed: number, runs: number): FuzzReport {
  const random = randomOf(seed);
  const refused = new Map<string, number>();
  let [accepted, slowest, total] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const isBody = run % 2 === 1;
    const text = isBody ? randomSearch(random) : randomQuery(random);
    const body: unknown = isBody ? JSON.parse(text) : undefined;
    const { problem, milliseconds } = judge(() => (isBody ? search(body) : parse(text)), text);
    total += milliseconds;
    slowest = Math.max(slowest, milliseconds);
    if (problem === undefined) accepted += 1;
    else refused.set(problem, (refused.get(problem) ?? 0) + 1);
  }
  if (Object.hasOwn(Object.prototype, "polluted") || Object.keys(Object.prototype).length > 0) throw new FuzzFailure("A prototype was polluted.");
  return { seed, runs, accepted, refused, totalMs: total, slowestMs: slowest };
}

function judge(run: () => unknown, text: string): { readonly problem: string | undefined; readonly milliseconds: number } {
  const first = timed(run);
  // A pause of the machine must not decide: what is slow by itself is slow again.
  const isDoubtful = first.milliseconds > doubtfulMs;
  const milliseconds = isDoubtful ? Math.min(first.milliseconds, timed(run).milliseconds, timed(run).milliseconds) : first.milliseconds;
  if (milliseconds > slowestMs) throw new FuzzFailure(`It took ${milliseconds} ms: ${JSON.stringify(text)}`);
  const { error } = first;
  if (error === undefined) return { problem: undefined, milliseconds };
  if (!(error instanceof ProblemError)) throw new FuzzFailure(`It ended in another error than a problem: ${JSON.stringify(text)}`, { cause: error });
  if (![400, 403, 414].includes(error.status)) throw new FuzzFailure(`It is ${error.status}: ${JSON.stringify(text)}`, { cause: error });
  if (JSON.stringify(problemDocument(error, "fuzz")).length > 40_000) throw new FuzzFailure(`Its answer is huge: ${JSON.stringify(text)}`);
  return { problem: `${error.status} ${error.code}`, milliseconds };
}

function timed(run: () => unknown): { readonly error: unknown; readonly milliseconds: number } {
  let error: unknown;
  const start = performance.now();
  try {
    run();
  } catch (thrown) {
    error = thrown ?? new FuzzFailure("Nothing was thrown.");
  }
  return { error, milliseconds: performance.now() - start };
}
