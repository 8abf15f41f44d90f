import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { defaultLimits, resolveLimits } from "../../src/ground/limits/limits.js";
import { fullService } from "../tools/fullService.js";

test("the defaults hold where nothing is changed", () => {
  expect(resolveLimits()).toEqual(defaultLimits);
  expect(resolveLimits({ perPage: undefined as never })).toEqual(defaultLimits);
  expect(resolveLimits({ perPage: 5 }).perPage).toBe(5);
});

test.each([
  [{ perPage: 0 }, /"limits.perPage" must be a whole number of at least 1; got 0/],
  [{ perPage: -20 }, /"limits.perPage"/],
  [{ jsonDepth: 1.5 }, /"limits.jsonDepth"/],
  [{ jsonDepth: Number.NaN }, /"limits.jsonDepth"/],
  [{ jsonDepth: "64" as never }, /"limits.jsonDepth"/],
  [{ jsonDepht: 64 } as never, /"limits" has no option "jsonDepht"; did you mean "jsonDepth"\? There are: targetBytes/],
  [{ jsonDepth: 1_001 }, /"limits.jsonDepth" must be a whole number from 1 to 1000/],
  [{ patchOperations: 1_001 }, /"limits.patchOperations" must be a whole number from 1 to 1000/],
  [{ perPage: 101 }, /"perPage" \(101\) exceeds "maxPerPage" \(100\)/],
])("%j is refused at start-up", (limits, message) => {
  expect(() => fullService({ resources: [], storage: memoryStorage(), limits })).toThrow(message);
});
