import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonFault } from "../../../src/ground/http/json/jsonFault.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test.each([
  ["", 0],
  ["x", 0],
  ["nul", 3],
  ["nulL", 3],
  ["[1,]", 3],
  ["[1 2]", 3],
  ["[}", 1],
  ["{]", 1],
  ['{"a"}', 4],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ["{,}", 1],
  ["01", 1],
  ["-", 1],
  ["1.", 2],
  ["1e+", 3],
  ['"a\nb"', 2],
  ['"\\x"', 2],
  ['"\\u12g4"', 5],
  ['"', 1],
  ["1 1", 2],
  ["]", 0],
  ["\u00a01", 0],
])("%j stops being JSON at %i", (text, index) => {
  expect(findJsonFault(text)).toBe(index);
});

test("a fault is found exactly where JSON.parse finds one", () => {
  const tokens = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"\\u00e9"',
    '"\\',
    "0",
    "-1.5e3",
    "1.",
    "true",
    "null",
    "nul",
    " ",
    "\n",
    "\t",
    "\f",
    "x",
  );
  const mutated = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', "\\", "0", " "))
    .map(([text, at, inserted]) => text.slice(0, at % (text.length + 1)) + inserted + text.slice((at % (text.length + 1)) + 1));
  const texts = fc.oneof(
    fc.array(tokens).map((parts) => parts.join("")),
    fc.json(),
    mutated,
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(findJsonFault(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test("no text is too deep to be searched", () => {
  expect(findJsonFault("[".repeat(1_000_000))).toBe(1_000_000);
});
