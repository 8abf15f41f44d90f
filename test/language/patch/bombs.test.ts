// @slow

import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { jsonPatch } from "../../../src/language/patch/jsonPatch.js";
import { defaultJsonPatchLimits, type JsonPatchLimits } from "../../../src/language/patch/jsonPatchLimits.js";
import { problemFrom } from "../../ground/http/problemFrom.js";
import { cpuMsSince } from "../../tools/cpuMs.js";

const slowestMs = 100;
const most: Partial<JsonPatchLimits> = { operations: 1_000 };
const { nodes } = defaultJsonPatchLimits;

const times = <Value>(count: number, make: (index: number) => Value): Value[] => Array.from({ length: count }, (_, index) => make(index));
const copied = (from: string, path: string) => ({ op: "copy", from, path });
const moved = (from: string, path: string) => ({ op: "move", from, path });
const zeros = (count: number): number[] => times(count, () => 0);
const chain = (depth: number): unknown => (depth === 0 ? {} : { a: chain(depth - 1) });
const names = (count: number) => Object.fromEntries(times(count, (index) => [`n${index}`, 0]));

/** What no JSON can be: an array that holds itself, three times over. */
function circle(): unknown {
  const array: unknown[] = [];
  array.push(array, array, array);
  return array;
}

/** Name, document, patch, the code, what the detail names. */
const refused: readonly (readonly [string, unknown, unknown, string, RegExp])[] = [
  ["copies that double", { a: [0] }, times(100, () => copied("/a", "/a/-")), "PATCH_MALFORMED", /"nodes"|"depth"/],
  ["copies that double beside one another", [zeros(10)], times(100, (index) => copied("", `/${index}`)), "PATCH_MALFORMED", /"nodes"|"depth"/],
  ["copies of copies, flat", { a: zeros(9_000) }, times(100, (index) => copied("/a", `/b${index}`)), "PATCH_MALFORMED", /20000 \("nodes"\)/],
  ["copies that take each other's place", { a: zeros(9_000) }, times(100, () => copied("/a", "/b")), "PATCH_MALFORMED", /20000 \("nodes"\)/],
  [
    "copies of long text",
    { a: "x".repeat(500_000) },
    times(100, (index) => copied("/a", `/b${index}`)),
    "PATCH_MALFORMED",
    /1048576 \("characters"\)/,
  ],
  ["copies of long names", { a: { ["x".repeat(500_000)]: 0 } }, times(100, (index) => copied("/a", `/b${index}`)), "PATCH_MALFORMED", /"characters"/],
  ["copies that dig", chain(63), [copied("", "/a".repeat(32))], "PATCH_MALFORMED", /"depth"/],
  ["a copy that digs by doubling", { a: 0 }, times(7, (index) => copied("", "/a".repeat(2 ** index))), "PATCH_MALFORMED", /"depth"/],
  ["an addition at the bottom", chain(63), [{ op: "add", path: `${"/a".repeat(63)}/a`, value: [] }], "PATCH_MALFORMED", /"depth"/],
  ["a replacement at the bottom", chain(63), [{ op: "replace", path: "/a".repeat(63), value: [[]] }], "PATCH_MALFORMED", /"depth"/],
  ["a value in circles", {}, [{ op: "add", path: "/a", value: circle() }], "PATCH_MALFORMED", /"nodes"|"depth"/],
  ["moves that dig", { x: chain(40), y: chain(40) }, [moved("/y", `/x${"/a".repeat(30)}/y`)], "PATCH_MALFORMED", /"depth"/],
  [
    "moves up and down of much",
    { x: zeros(19_000), y: {} },
    times(1_000, (index) => (index % 2 ? moved("/y/x", "/x") : moved("/x", "/y/x"))),
    "PATCH_MALFORMED",
    /copies or moves too much; allowed are 20000 \("nodes"\)/,
  ],
  ["more than the patch may bring", {}, times(100, (index) => ({ op: "add", path: `/${index}`, value: zeros(999) })), "PATCH_MALFORMED", /"nodes"/],
  ["a result that is too large", { a: zeros(19_000) }, [{ op: "add", path: "/b", value: zeros(1_000) }], "PATCH_MALFORMED", /result is too large/],
  ["a document that is too large to grow", zeros(nodes * 2), [{ op: "add", path: "/-", value: 0 }], "PATCH_MALFORMED", /allowed are 40001/],
  ["toString as op", { a: 1 }, [{ op: "toString", path: "/a" }], "PATCH_MALFORMED", /"toString" is not an operation/],
  ["toString as op of the document", { a: 1 }, [{ op: "toString", path: "" }], "PATCH_MALFORMED", /"toString" is not an operation/],
  ["a copy of a function", {}, [copied("/constructor", "/a")], "PATCH_CONFLICT", /no member "constructor"/],
  ["the index 2^31", [0], [{ op: "add", path: `/${2 ** 31}`, value: 1 }], "PATCH_CONFLICT", /not an index/],
  ["the index 2^31 of nothing", [0], [{ op: "replace", path: `/${2 ** 31}`, value: 1 }], "PATCH_CONFLICT", /not an index/],
  ["the index 10^400", [0], [{ op: "remove", path: `/1${"0".repeat(400)}` }], "PATCH_CONFLICT", /not an index/],
  ["the index -0", [0], [{ op: "remove", path: "/-0" }], "PATCH_CONFLICT", /not an index/],
  ["the index 01", [0, 1], [{ op: "remove", path: "/01" }], "PATCH_CONFLICT", /not an index/],
  ["an index of a million digits", [0], [{ op: "remove", path: `/${"1".repeat(1_000_000)}` }], "PATCH_CONFLICT", /not an index/],
  ["a pointer of 10^5 steps", chain(10), [{ op: "remove", path: "/a".repeat(100_000) }], "PATCH_MALFORMED", /at most 64 steps/],
  ["a pointer of 10^6 slashes", chain(10), [copied("/".repeat(1_000_000), "/a")], "PATCH_MALFORMED", /at most 64 steps/],
  ["a pointer of 10^6 tildes", {}, [{ op: "remove", path: `/${"~".repeat(1_000_000)}` }], "PATCH_MALFORMED", /"~0"/],
  ["1,000 long pointers", {}, times(1_000, () => ({ op: "test", path: `/${"x".repeat(2_000)}`, value: 0 })), "PATCH_MALFORMED", /"characters"/],
  ["1,001 operations", {}, times(1_001, () => 0), "PATCH_MALFORMED", /allowed are 1000 \("operations"\)/],
  ["10^6 operations", {}, times(1_000_000, () => 0), "PATCH_MALFORMED", /allowed are 1000 \("operations"\)/],
  ["1,000 operations that are none", {}, times(1_000, () => "x"), "PATCH_MALFORMED", /1000 problems/],
  [
    "1,000 operations of which the last fails",
    chain(60),
    [...times(999, () => copied("/a/a", "/b")), { op: "test", path: "/b", value: 0 }],
    "PATCH_MALFORMED",
    /"nodes"/,
  ],
  ["a test of many names", names(19_000), times(1_000, () => ({ op: "test", path: "", value: {} })), "PATCH_CONFLICT", /Operation 0/],
  ["a value of 2,000 levels", {}, [{ op: "add", path: "/a", value: chain(2_000) }], "PATCH_MALFORMED", /"depth"/],
];

/** What costs much, is allowed, and has to be as quick: name, document, patch. */
const accepted: readonly (readonly [string, unknown, unknown])[] = [
  ["1,000 elements in front of 18,000", zeros(18_000), times(1_000, () => ({ op: "add", path: "/0", value: 1 }))],
  ["1,000 removals of the first of 19,000", zeros(19_000), times(1_000, () => ({ op: "remove", path: "/0" }))],
  ["1,000 moves of much, to its side", [zeros(9_000), zeros(9_000)], times(1_000, () => moved("/1", "/0"))],
  ["1,000 moves of much, from name to name", { a: zeros(19_000) }, times(1_000, (index) => (index % 2 ? moved("/b", "/a") : moved("/a", "/b")))],
  ["1,000 small tests of a large document", { a: names(19_000) }, times(1_000, () => ({ op: "test", path: "/a/n7", value: 0 }))],
  ["1,000 tests at the bottom", chain(60), times(1_000, () => ({ op: "test", path: "/a".repeat(60), value: {} }))],
  ["1,000 names in a large object", names(18_000), times(1_000, (index) => ({ op: "add", path: `/m${index}`, value: 0 }))],
  ["one test of all", zeros(19_000), [{ op: "test", path: "", value: zeros(19_000) }]],
];

/** The processor time of the quickest of some runs: the machine has other things to do as well. */
function quickestMs(run: () => unknown): number {
  let quickest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 10 && quickest >= slowestMs; count++) {
    const before = process.cpuUsage();
    run();
    quickest = Math.min(quickest, cpuMsSince(before));
  }
  return quickest;
}

function outcome(document: unknown, patch: unknown): unknown {
  try {
    return jsonPatch(document, patch, most);
  } catch (error) {
    return error;
  }
}

describe("within 100 ms, and without a change to the document, an answer is given to", () => {
  test.each(refused)("%s", (_name, document, patch, code, detail) => {
    const before = JSON.stringify(document);
    const problem = outcome(document, patch);
    expect(problem).toBeInstanceOf(ProblemError);
    expect(problem).toMatchObject({ code, message: expect.stringMatching(detail) });
    expect(JSON.stringify((problem as ProblemError).errors).length).toBeLessThan(10_000);
    expect(JSON.stringify(document)).toBe(before);
    expect(quickestMs(() => outcome(document, patch))).toBeLessThan(slowestMs);
  });

  test.each(accepted)("%s", (_name, document, patch) => {
    const before = JSON.stringify(document);
    expect(outcome(document, patch)).not.toBeInstanceOf(Error);
    expect(JSON.stringify(document)).toBe(before);
    expect(quickestMs(() => outcome(document, patch))).toBeLessThan(slowestMs);
  });
});

describe("a document that has been too large from the start", () => {
  const document = { list: zeros(nodes + 10), text: "x".repeat(2_000_000) };

  test("may be changed and may shrink", () => {
    const patch = [
      { op: "replace", path: "/list/0", value: 1 },
      { op: "remove", path: "/list/1" },
      { op: "replace", path: "/text", value: "y" },
      { op: "add", path: "/list/-", value: 2 },
    ];
    expect(jsonPatch(document, patch)).toMatchObject({ list: expect.objectContaining({ length: nodes + 10 }), text: "y" });
  });

  test("may not grow, be it in values or in characters", () => {
    expect(outcome(document, [{ op: "replace", path: "/list/0", value: [] }])).not.toBeInstanceOf(Error);
    expect(outcome(document, [{ op: "replace", path: "/list/0", value: [1] }])).toMatchObject({ code: "PATCH_MALFORMED" });
    expect(outcome(document, [{ op: "replace", path: "/list/0", value: "x" }])).toMatchObject({ code: "PATCH_MALFORMED" });
  });
});

test("an inherited name does not count as a member that gives way", () => {
  expect(problemFrom(() => jsonPatch({}, [{ op: "add", path: "/toString", value: 0 }], { nodes: 1 })).message).toMatch(/result is too large/);
});
