// @slow

import { expect, test } from "vitest";
import { fuzzPatches } from "./patchFuzz.js";

test("twenty thousand broken patches are applied or refused with a problem, and change nothing else", () => {
  const { outcomes } = fuzzPatches(20_000, 20_260_101);
  expect(outcomes.applied).toBeGreaterThan(1_000);
  expect(outcomes.conflict).toBeGreaterThan(1_000);
  expect(outcomes.malformed).toBeGreaterThan(1_000);
});

test("the same seed makes the same patches", () => {
  expect(fuzzPatches(500, 7).outcomes).toEqual(fuzzPatches(500, 7).outcomes);
});
