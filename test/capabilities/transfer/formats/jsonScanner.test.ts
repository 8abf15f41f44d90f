import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonScanner } from "../../../../src/capabilities/transfer/formats/jsonScanner.js";
import { findJsonFault } from "../../../../src/ground/http/json/jsonFault.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

/** Scans a text in stretches; where it stops being JSON, `undefined` where it is. */
function scan(text: string, stretch = Number.POSITIVE_INFINITY) {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner(bytes);
  let isOver: boolean | undefined;
  while (isOver === undefined) isOver = scanner.scan(scanner.at + stretch);
  if (isOver) scanner.skipSpace();
  return { scanner, fault: isOver && scanner.at === bytes.length ? undefined : bytes.toString("utf8", 0, scanner.at).length };
}

const token = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"a"',
  '"\\u00e9"',
  '"é',
  '"\\',
  "0",
  "-1.5e3",
  "1E+",
  "1.",
  "true",
  "null",
  "nul",
  " ",
  "\n",
  "\f",
  "x",
);
const mutated = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', "\\", "0", " "))
  .map(([text, at, inserted]) => text.slice(0, at % (text.length + 1)) + inserted + text.slice((at % (text.length + 1)) + 1));
const texts = fc.oneof(
  fc.array(token).map((parts) => parts.join("")),
  fc.json(),
  mutated,
);

test("a scan finds a fault exactly where a search of the text does, however it is cut into stretches", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, stretch) => {
      fc.pre(text.isWellFormed());
      const fault = findJsonFault(text);
      expect(scan(text).fault).toBe(fault);
      expect(scan(text, stretch).fault).toBe(fault);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test("a scan counts values and levels", () => {
  const sizeOf = (value: unknown): { values: number; depth: number } => {
    if (typeof value !== "object" || value === null) return { values: 1, depth: 0 };
    const inner = Object.values(value).map(sizeOf);
    return { values: 1 + inner.reduce((sum, { values }) => sum + values, 0), depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)) };
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), (value, stretch) => {
      const { values, depth } = scan(JSON.stringify(value), stretch).scanner;
      expect({ values, depth }).toEqual(sizeOf(value));
    }),
  );
});
