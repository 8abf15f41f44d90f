import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  describeTaken,
  type RateLimitAlgorithm,
  type RateLimitState,
  type RateLimitTaken,
  stepRateLimit,
} from "../../../src/ground/storage/rateLimits.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

interface Limit {
  readonly algorithm: RateLimitAlgorithm;
  readonly limit: number;
  readonly windowMs: number;
}

/** Takes one cost after the other, at the given times. */
function play(limit: Limit, steps: readonly (readonly [atMs: number, cost: number])[]): readonly RateLimitTaken[] {
  let state: RateLimitState | undefined;
  return steps.map(([atMs, cost]) => {
    const take = { name: "test", cost, ...limit };
    const step = stepRateLimit(state, take, atMs);
    state = step;
    return describeTaken(step, take, atMs);
  });
}

const epochMs = Date.UTC(2026, 0, 1);
const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 60 }).map((all) => {
  let atMs = epochMs;
  return all.map(([waitMs, cost]): [number, number] => {
    atMs += waitMs;
    return [atMs, cost];
  });
});
const limits = fc.record({ limit: fc.integer({ min: 3, max: 20 }), windowMs: fc.integer({ min: 50, max: 3_000 }) });

describe.each<RateLimitAlgorithm>(["fixed-window", "gcra"])("%s", (algorithm) => {
  test.each([
    [1, 1_000],
    [3, 1_000],
    [7, 60_000],
    [100, 1_000],
    [10_000, 1_000],
  ])("allows %i in %i ms at once, then refuses, and allows again after the time that it named", (limit, windowMs) => {
    const burst = Array.from({ length: limit + 1 }, () => [epochMs, 1] as const);
    const taken = play({ algorithm, limit, windowMs }, burst);
    expect(taken.map(({ allowed }) => allowed)).toEqual([...Array.from({ length: limit }, () => true), false]);
    expect(taken.map(({ remaining }) => remaining)).toEqual([...Array.from({ length: limit }, (_, index) => limit - 1 - index), 0]);
    const { retryMs = 0 } = taken.at(-1) ?? {};
    const again = play({ algorithm, limit, windowMs }, [...burst, [Math.ceil(epochMs + retryMs), 1]]);
    expect(again.at(-1)?.allowed).toBe(true);
  });

  test("never takes more than the limit at one instant, nor twice the limit within a window", () => {
    fc.assert(
      fc.property(steps, limits, (all, limit) => {
        const taken = play({ algorithm, ...limit }, all);
        const sumWithin = (fromMs: number, untilMs: number) =>
          all.reduce((sum, [atMs, cost], index) => (atMs >= fromMs && atMs <= untilMs && taken[index]?.allowed === true ? sum + cost : sum), 0);
        for (const [fromMs] of all) {
          expect(sumWithin(fromMs, fromMs)).toBeLessThanOrEqual(limit.limit);
          expect(sumWithin(fromMs, fromMs + limit.windowMs - 1)).toBeLessThanOrEqual(2 * limit.limit);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test("what remains can be taken, one more cannot, and after the reset the whole limit can", () => {
    fc.assert(
      fc.property(steps, limits, (all, limit) => {
        const taken = play({ algorithm, ...limit }, all);
        const { remaining = 0, resetMs = 0 } = taken.at(-1) ?? {};
        const nowMs = all.at(-1)?.[0] ?? 0;
        const next = (atMs: number, cost: number) => play({ algorithm, ...limit }, [...all, [atMs, cost]]).at(-1)?.allowed;
        if (remaining > 0) expect(next(nowMs, remaining)).toBe(true);
        if (remaining < limit.limit) expect(next(nowMs, remaining + 1)).toBe(false);
        expect(next(nowMs + Math.ceil(resetMs), limit.limit)).toBe(true);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test("holds its limit if a clock goes back by less than a window", () => {
    const taken = play({ algorithm, limit: 2, windowMs: 1_000 }, [
      [epochMs, 2],
      [epochMs - 900, 1],
      [epochMs + 1_000, 2],
    ]);
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, false, true]);
  });

  test("refuses nobody for longer than its window if a clock is set back by more", () => {
    const taken = play({ algorithm, limit: 2, windowMs: 1_000 }, [
      [epochMs, 2],
      [epochMs - 3_600_000, 2],
      [epochMs - 3_600_000, 1],
      [epochMs - 3_599_000, 2],
    ]);
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, false, true]);
    expect(Math.max(...taken.map(({ retryMs }) => retryMs))).toBeLessThanOrEqual(1_000);
  });
});

test("gcra lets the limit through evenly where a fixed window lets it through twice at its end", () => {
  const around = [
    [epochMs, 1],
    [epochMs + 900, 9],
    [epochMs + 1_000, 10],
  ] as const;
  const allowed = (algorithm: RateLimitAlgorithm) => play({ algorithm, limit: 10, windowMs: 1_000 }, around).map((taken) => taken.allowed);
  expect(allowed("fixed-window")).toEqual([true, true, true]);
  expect(allowed("gcra")).toEqual([true, true, false]);
});
