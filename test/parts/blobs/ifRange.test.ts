import { expect, test } from "vitest";
import { matchesIfRange } from "../../../src/parts/blobs/ifRange.js";

const file = { tag: '"xyzzy"', lastModified: new Date("1994-11-06T08:49:37.500Z") };

test.each([
  [undefined, true],
  ['"xyzzy"', true],
  ['"other"', false],
  ['W/"xyzzy"', false],
  ["xyzzy", false],
  ['"xyzzy", "other"', false],
  ["*", false],
  ["", false],
  ["Sun, 06 Nov 1994 08:49:37 GMT", true],
  ["Sunday, 06-Nov-94 08:49:37 GMT", true],
  ["Sun Nov  6 08:49:37 1994", true],
  ["Sun, 06 Nov 1994 08:49:36 GMT", false],
  ["Sun, 06 Nov 1994 08:49:38 GMT", false],
  ["1994-11-06T08:49:37Z", false],
] as const)("If-Range: %s of a file with the tag xyzzy that was written at 08:49:37.5: %s", (header, matches) => {
  expect(matchesIfRange(header, file)).toBe(matches);
});
