import { performance } from "node:perf_hooks";
import { median, type Summary, summarize } from "../tools/statistics.js";
import type { Case, Send } from "./cases.js";

/** How much is measured. */
export interface ListAmount {
  readonly rounds: number;
  /** Time of one case in one round, about; at least one request is sent. */
  readonly milliseconds: number;
}

/** A case with its figures. */
export interface MeasuredCase extends Case {
  /** Milliseconds of a request: median, lowest and highest of the rounds, each of which is the median of its requests. */
  readonly time: Summary;
  /** Median of the ratios to the first page, round by round. */
  readonly ratio: number;
}

/**
 * Measures the cases in turn, round by round, after one round that does not count. The first of them is the one that ratios are taken against.
 *
 * @throws {Error} where an answer is not 200
 */
export async function measureCases(cases: readonly Case[], send: Send, { rounds, milliseconds }: ListAmount): Promise<MeasuredCase[]> {
  const figures = cases.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { target }] of cases.entries()) {
      const figure = await measure(target, send, milliseconds);
      if (round > 0) figures[index]?.push(figure);
    }
  }
  const first = figures[0] ?? [];
  return cases.map((measured, index) => {
    const own = figures[index] ?? [];
    return { ...measured, time: summarize(own), ratio: median(own.map((figure, round) => figure / (first[round] ?? Number.NaN))) };
  });
}

async function measure(target: string, send: Send, milliseconds: number): Promise<number> {
  const times: number[] = [];
  for (let left = milliseconds; left > 0; ) {
    const begin = performance.now();
    const { status, text } = await send({ target });
    const took = performance.now() - begin;
    if (status !== 200) throw new Error(`GET ${target} was answered with ${status}:\n${text}`);
    times.push(took);
    left -= took;
  }
  return median(times);
}
