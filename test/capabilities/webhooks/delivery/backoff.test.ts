import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultScheduleMs, nextAttempt } from "../../../../src/capabilities/events/backoff.js";

const endedAt = Date.UTC(2026, 0, 1);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const middle = () => 0.5;

describe("the next attempt", () => {
  test.each([
    [0, 0],
    [1, minute],
    [2, 5 * minute],
    [3, 30 * minute],
    [4, 2 * hour],
    [5, 6 * hour],
    [6, 12 * hour],
    [7, 24 * hour],
  ])("after attempt %i is due %i ms after its end", (attempt, delayMs) => {
    expect(nextAttempt({ attempt, endedAt, random: middle })).toBe(endedAt + delayMs);
  });

  test("does not come after the eighth", () => {
    expect(defaultScheduleMs).toHaveLength(8);
    expect(nextAttempt({ attempt: 8, endedAt, random: middle })).toBeUndefined();
    expect(nextAttempt({ attempt: 8, endedAt, random: middle, retryAfterMs: 1_000 })).toBeUndefined();
    expect(nextAttempt({ attempt: 99, endedAt, random: middle })).toBeUndefined();
  });

  test.each([
    [0, 0.8],
    [0.25, 0.9],
    [0.75, 1.1],
    [1 - 2 ** -32, 1.2],
  ])("with the random number %d is due after %d of the time", (random, factor) => {
    expect(nextAttempt({ attempt: 4, endedAt, random: () => random })).toBe(endedAt + Math.round(2 * hour * factor));
  });

  test("is due within a day, whatever chance says", () => {
    expect(nextAttempt({ attempt: 7, endedAt, random: () => 0.99 })).toBe(endedAt + day);
    expect(nextAttempt({ attempt: 7, endedAt, random: () => 0 })).toBe(endedAt + Math.round(0.8 * day));
  });

  test.each([
    [10 * minute, 10 * minute],
    [minute, 5 * minute],
    [0, 5 * minute],
    [-minute, 5 * minute],
    [2 * day, day],
    [Number.POSITIVE_INFINITY, day],
    [undefined, 5 * minute],
  ])("after Retry-After of %s ms is due after %i", (retryAfterMs, delayMs) => {
    expect(nextAttempt({ attempt: 2, endedAt, random: middle, retryAfterMs })).toBe(endedAt + delayMs);
  });

  test("follows another schedule where one is given", () => {
    const scheduleMs = [0, 10, 2 * day];
    const due = [0, 1, 2, 3].map((attempt) => nextAttempt({ attempt, endedAt, scheduleMs, random: middle }));
    expect(due).toEqual([endedAt, endedAt + 10, endedAt + day, undefined]);
  });

  test("is never before the end of the last one, nor more than a day after it, and a whole millisecond", () => {
    const scheduleMs = fc.array(fc.integer({ min: -day, max: 3 * day }), { minLength: 1, maxLength: 10 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const retryAfterMs = fc.option(fc.integer({ min: -day, max: 3 * day }), { nil: undefined });
    fc.assert(
      fc.property(scheduleMs, fc.nat(12), random, retryAfterMs, (schedule, attempt, chance, retry) => {
        const due = nextAttempt({ attempt, endedAt, scheduleMs: schedule, random: () => chance, retryAfterMs: retry });
        if (attempt >= schedule.length) return due === undefined;
        return due !== undefined && Number.isInteger(due) && due >= endedAt && due <= endedAt + day;
      }),
      { seed: 9 },
    );
  });
});
