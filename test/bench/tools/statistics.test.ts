import { expect, test } from "vitest";
import { percentile } from "../../../bench/tools/statistics.js";

test.each([
  [0.5, 50],
  [0.99, 99],
  [1, 100],
  [0, 1],
])("of 1 to 100, a share of %d does not exceed %d", (share, expected) => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(values, share)).toBe(expected);
});

test("the percentiles of one value are that value, and nothing has none", () => {
  expect(percentile([7], 0.99)).toBe(7);
  expect(() => percentile([], 0.5)).toThrow("There is no percentile of nothing.");
});
