import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeFormula, unescapeFormula } from "../../../src/language/csv/formula.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

/** Whatever could matter: what begins formulas, what numbers consist of, apostrophes. */
const cells = fc.oneof(
  fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＠", "'", "1", " ", "(", ".", "a"), maxLength: 6 }),
  fc.string(),
);

describe("a cell that a spreadsheet would compute", () => {
  test.each([
    "=1+1",
    '=HYPERLINK("https://example.com")',
    "+SUM(A1)",
    "+",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\t",
    "＝1",
    "＋1",
    "－1",
    "＠a",
    "'=1",
    "'''@a",
    "'-5",
    "'+44 20 7946 0958",
    "-5e3",
    "-1,5",
    "+44 20 7946 0958 x1",
  ])("%j gets one apostrophe, which is taken away again", (cell) => {
    expect(escapeFormula(cell)).toBe(`'${cell}`);
    expect(unescapeFormula(`'${cell}`)).toBe(cell);
  });

  test.each([
    "",
    "a",
    "1",
    "-5",
    "-5.25",
    "- 5",
    "+44 20 7946 0958",
    "+44 (20) 7946-0958",
    "-",
    "--1",
    "'",
    "'a",
    "''",
    "a=1",
    " =1",
    "'1",
    "1-2",
    "O'Brien",
  ])("is not %j: it stays as it is", (cell) => {
    expect(escapeFormula(cell)).toBe(cell);
    expect(unescapeFormula(cell)).toBe(cell);
  });

  test("never leaves as one, but as a number", () => {
    fc.assert(
      fc.property(cells, (cell) => {
        expect(escapeFormula(cell)).toMatch(/^(?![=+\-@\t\r\n＝＋－＠])|^[+-]?[\d ().-]+$/);
      }),
    );
  });

  test("comes back as it went, whatever it is", () => {
    fc.assert(
      fc.property(cells, (cell) => {
        expect(unescapeFormula(escapeFormula(cell))).toBe(cell);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test("that somebody else escaped leaves as it came", () => {
    fc.assert(
      fc.property(cells, (cell) => {
        const escaped = escapeFormula(cell);
        expect(escapeFormula(unescapeFormula(escaped))).toBe(escaped);
      }),
    );
  });
});
