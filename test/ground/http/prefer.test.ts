import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePrefer } from "../../../src/ground/http/headers/prefer.js";

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

test("what stands in the quoted value of an unknown preference is no preference", () => {
  expect(parsePrefer('foo="a, handling=strict, \\", b; return=minimal", max-affected=3')).toEqual(parsePrefer("max-affected=3"));
});

test("no header asks for nothing, and no text makes the parser throw", () => {
  expect(parsePrefer(undefined)).toEqual({});
  fc.assert(fc.property(fc.string({ unit: "binary" }), (header) => void parsePrefer(header)));
});

describe("handling", () => {
  test.each([
    ["handling=strict", "strict"],
    ["handling=lenient", "lenient"],
    ["HANDLING=strict", "strict"],
    ['handling="lenient"', "lenient"],
    ["handling = strict", "strict"],
    ["return=minimal,handling=strict;x=y", "strict"],
    ["handling=strict, handling=lenient", "strict"],
    ["handling=lenient, Handling=strict", "lenient"],
    ["handling=harsh, handling=strict", undefined],
    ["handling=Strict", undefined],
    ["handling", undefined],
    ["handling=", undefined],
    ["handling=strictly", undefined],
    ["depth=infinity, gift-wrap", undefined],
  ])("%s asks for %s", (header, wanted) => {
    expect(parsePrefer(header).handling).toBe(wanted);
  });
});

describe("respond-async and wait", () => {
  test.each([
    ["respond-async", true, undefined],
    ["respond-async, wait=10", true, 10],
    ["wait=10, respond-async", true, 10],
    ["respond-async, wait=0", true, 0],
    ['Respond-Async, wait="10"', true, 10],
    ["respond-async; foo=bar, wait=10;x", true, 10],
    ["respond-async=true", true, undefined],
    ["wait=10", undefined, 10],
    ["wait=5, wait=10", undefined, 5],
    ["wait=soon, wait=10", undefined, undefined],
    ["wait=-1", undefined, undefined],
    ["wait=1.5", undefined, undefined],
    ["wait=1e3", undefined, undefined],
    ["wait=", undefined, undefined],
    ["wait", undefined, undefined],
    ["wait=999999999", undefined, 999_999_999],
    ["wait=1000000000", undefined, undefined],
    ["respond-asynchronously", undefined, undefined],
  ])("%s", (header, respondAsync, waitSeconds) => {
    expect(parsePrefer(header)).toMatchObject({ respondAsync, waitSeconds });
  });
});

describe("max-affected", () => {
  test.each([
    ["max-affected=5", 5],
    ["max-affected=0", 0],
    ['max-affected="5"', 5],
    ["Max-Affected=5", 5],
    ["max-affected=5, max-affected=50", 5],
    ["max-affected=few, max-affected=5", undefined],
    ["max-affected=-5", undefined],
    ["max-affected=5 rows", undefined],
    ["max-affected", undefined],
  ])("%s", (header, maxAffected) => {
    expect(parsePrefer(header).maxAffected).toBe(maxAffected);
  });
});

test("the examples of RFC 7240 are understood, several lines joined", () => {
  expect(parsePrefer("respond-async, wait=100, handling=lenient")).toMatchObject({ respondAsync: true, waitSeconds: 100, handling: "lenient" });
  expect(parsePrefer('foo; bar="", return=minimal')).toMatchObject({ return: "minimal" });
  expect(parsePrefer("priority=5, , respond-async")).toMatchObject({ respondAsync: true });
});
