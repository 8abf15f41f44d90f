import fc from "fast-check";
import { expect, test } from "vitest";
import { parsePrefer } from "../../src/http/prefer.js";

test.each([
  ["return=minimal", "minimal"],
  ["return=representation", "representation"],
  ['return="minimal"', "minimal"],
  ["Return = minimal ; foo=bar", "minimal"],
  ["respond-async, wait=100, return=minimal", "minimal"],
  ["return=minimal, return=representation", "minimal"],
  ["return=everything", undefined],
  ["return=everything, return=minimal", undefined],
  ["return", undefined],
  ["handling=lenient", undefined],
  ["", undefined],
])("%s asks for %s (RFC 7240: the first counts, unknown ones are ignored)", (header, wanted) => {
  expect(parsePrefer(header).return).toBe(wanted);
});

test("no header asks for nothing, and no text makes the parser throw", () => {
  expect(parsePrefer(undefined)).toEqual({});
  fc.assert(fc.property(fc.string({ unit: "binary" }), (header) => void parsePrefer(header)));
});
