import { expect, test } from "vitest";
import { defaultLimits, resolveLimits } from "../../src/limits/limits.js";

test("the defaults hold where nothing is changed", () => {
  expect(resolveLimits()).toEqual(defaultLimits);
  expect(resolveLimits({ perPage: undefined as never })).toEqual(defaultLimits);
  expect(resolveLimits({ perPage: 5 }).perPage).toBe(5);
});

test.each([
  [{ perPage: 0 }, /"perPage" must be a whole number of at least 1; got 0/],
  [{ jsonDepth: 1.5 }, /jsonDepth/],
  [{ jsonDepth: Number.NaN }, /jsonDepth/],
  [{ jsonDepth: "64" as never }, /jsonDepth/],
  [{ jsonDepht: 64 } as never, /Unknown limit "jsonDepht"; known: targetBytes/],
  [{ jsonDepth: 1_001 }, /"jsonDepth" must be at most 1000/],
  [{ perPage: 101 }, /"perPage" \(101\) exceeds "perPageMaximum" \(100\)/],
])("%j is refused at start-up", (changes, message) => {
  expect(() => resolveLimits(changes)).toThrow(message);
});
