import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isInteger, isNumber } from "../../../../src/language/query/values/number.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."0123456789-+.eE x"), maxLength: 7 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt().map(String),
  fc.double().map((value) => JSON.stringify(value)),
);

/** What JSON itself takes for a number. */
function isJsonNumber(given: string): boolean {
  try {
    return given.trim() === given && typeof JSON.parse(given) === "number";
  } catch {
    return false;
  }
}

describe("a number", () => {
  test("is what JSON takes for one", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(isNumber(given)).toBe(isJsonNumber(given));
      }),
      { numRuns: propertyRuns(5_000), seed: 1 },
    );
  });

  test("is an integer where it is written as one", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(isInteger(given)).toBe(isJsonNumber(given) && !/[.eE]/.test(given));
      }),
      { numRuns: propertyRuns(5_000), seed: 2 },
    );
  });
});
