import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../src/ground/problem/index.js";
import { jsonPatch } from "../../../src/language/patch/jsonPatch.js";
import type { JsonPatchLimits } from "../../../src/language/patch/jsonPatchLimits.js";
import { parseJsonPatch } from "../../../src/language/patch/parseJsonPatch.js";
import { problemFrom } from "../../ground/http/problemFrom.js";

const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)]);
const inherited = (op: object, own: object): unknown => Object.assign(Object.create(op), own);

/** What can be said of a patch without a document: name, patch, pointer into the patch, detail. */
const faults: readonly (readonly [string, unknown, string, RegExp])[] = [
  ["a patch that is null", null, "", /is an array of operations/],
  ["a patch that is an object", { op: "remove", path: "/a" }, "", /is an array of operations/],
  ["a patch that is text", "[]", "", /is an array of operations/],
  ["an array-like patch", { length: 1, 0: { op: "remove", path: "/a" } }, "", /is an array of operations/],
  ["101 operations", Array.from({ length: 101 }, () => ({ op: "test", path: "", value: 0 })), "", /has 101 operations; allowed are 100/],
  ["an operation that is null", [null], "/0", /not an object/],
  ["an operation that is an array", [["remove", "/a"]], "/0", /not an object/],
  ["an operation that is text", ["remove"], "/0", /not an object/],
  ["an operation that is not there", new Array(1), "/0", /not an object/],
  ["an op that is not its own", [inherited({ op: "remove" }, { path: "/a" })], "/0", /needs a member "op"/],
  ["a path that is not its own", [inherited({ path: "/a" }, { op: "remove" })], "/0", /needs a member "path"/],
  ["a value that is not its own", [inherited({ value: 1 }, { op: "add", path: "/a" })], "/0", /needs a member "value"/],
  ["no op", [{ path: "/a" }], "/0", /needs a member "op".*allowed: add, remove, replace, move, copy, test/],
  ["an op that is no text", [{ op: ["add"], path: "/a", value: 1 }], "/0/op", /needs a member "op" that is text/],
  ["an inherited name as op", [{ op: "toString", path: "/a" }], "/0/op", /"toString" is not an operation; allowed: add/],
  ["__proto__ as op", [{ op: "__proto__", path: "/a" }], "/0/op", /"__proto__" is not an operation/],
  ["an operation of the library's own", [{ op: "_get", path: "/a" }], "/0/op", /"_get" is not an operation/],
  ["an op in capitals", [{ op: "ADD", path: "/a", value: 1 }], "/0/op", /"ADD" is not an operation/],
  ["no path", [{ op: "remove" }], "/0", /needs a member "path"/],
  ["a path that is null", [{ op: "remove", path: null }], "/0/path", /"path" must be a JSON pointer, as text/],
  ["a path that is a number", [{ op: "remove", path: 0 }], "/0/path", /must be a JSON pointer/],
  ["a path that is an array", [{ op: "add", path: ["/__proto__"], value: 1 }], "/0/path", /must be a JSON pointer/],
  ["a path without a slash", [{ op: "remove", path: "a" }], "/0/path", /begins with "\/"; got "a"/],
  ["a path in fragment form", [{ op: "remove", path: "#/a" }], "/0/path", /begins with "\/"/],
  ["a lone tilde in a path", [{ op: "remove", path: "/a~b" }], "/0/path", /"~" is written "~0"/],
  ["a tilde at the end of a path", [{ op: "remove", path: "/a~" }], "/0/path", /"~" is written "~0"/],
  ["an unknown escape in a path", [{ op: "remove", path: "/a~2" }], "/0/path", /"~" is written "~0"/],
  ["NUL in a path", [{ op: "add", path: "/a\0", value: 1 }], "/0/path", /NUL/],
  ["half a surrogate pair in a path", [{ op: "add", path: "/\ud800", value: 1 }], "/0/path", /surrogate/],
  ["a path deeper than any document", [{ op: "remove", path: "/a".repeat(65) }], "/0/path", /at most 64 steps/],
  ["no from", [{ op: "move", path: "/a" }], "/0", /needs a member "from"/],
  ["a from that is no text", [{ op: "copy", from: 1, path: "/a" }], "/0/from", /"from" must be a JSON pointer/],
  ["a from without a slash", [{ op: "copy", from: "a", path: "/a" }], "/0/from", /begins with "\/"/],
  ["no value to add", [{ op: "add", path: "/a" }], "/0", /needs a member "value"/],
  ["no value to replace with", [{ op: "replace", path: "/a" }], "/0", /needs a member "value"/],
  ["no value to test", [{ op: "test", path: "/a" }], "/0", /needs a member "value"/],
  ["a value that is undefined", [{ op: "add", path: "/a", value: undefined }], "/0", /needs a member "value"/],
  ["a value that is a function", [{ op: "add", path: "/a", value: () => 1 }], "/0/value", /not JSON/],
  ["an infinite number", [{ op: "add", path: "/a", value: { b: [JSON.parse("1e400")] } }], "/0/value/b/0", /range of binary64/],
  ["NUL in a value", [{ op: "add", path: "/a", value: { b: "\0" } }], "/0/value/b", /NUL/],
  ["a value that is too deep", [{ op: "add", path: "", value: nested(65) }], "/0/value", /too large; allowed are 64 \("depth"\)/],
  ["__proto__ inside a value", [{ op: "add", path: "/a", value: JSON.parse('{"b":{"__proto__":{"c":1}}}') }], "/0/value/b/__proto__", /prototype/],
  [
    "a constructor's prototype inside a value",
    [{ op: "add", path: "/a", value: { constructor: { prototype: {} } } }],
    "/0/value/constructor",
    /prototype/,
  ],
  ["__proto__ in a path", [{ op: "add", path: "/a/__proto__/b", value: 1 }], "/0/path", /"__proto__" could change the prototype/],
  ["__proto__ at the end of a path", [{ op: "add", path: "/__proto__", value: {} }], "/0/path", /"__proto__" could change/],
  ["__proto__ in from", [{ op: "copy", from: "/__proto__", path: "/a" }], "/0/from", /"__proto__" could change/],
  ["__proto__ in a test", [{ op: "test", path: "/__proto__", value: {} }], "/0/path", /"__proto__" could change/],
  ["constructor and prototype in a path", [{ op: "add", path: "/constructor/prototype/a", value: 1 }], "/0/path", /"prototype" could change/],
  ["constructor and prototype in from", [{ op: "copy", from: "/a/constructor/prototype", path: "/b" }], "/0/from", /"prototype" could change/],
  ["removal of the document", [{ op: "remove", path: "" }], "/0/path", /whole document cannot be removed/],
  ["a move into a child", [{ op: "move", from: "/a", path: "/a/b" }], "/0/path", /"\/a" cannot be moved into a part of itself, "\/a\/b"/],
  ["a move into a grandchild", [{ op: "move", from: "/a", path: "/a/b/c" }], "/0/path", /cannot be moved into a part of itself/],
  ["a move of the document", [{ op: "move", from: "", path: "/a" }], "/0/path", /the document cannot be moved into a part of itself/],
];

describe("a patch is malformed that has", () => {
  test.each(faults)("%s", (_name, patch, pointer, detail) => {
    const problem = problemFrom(() => parseJsonPatch(patch));
    expect(problem).toMatchObject({ code: "PATCH_MALFORMED", status: 400 });
    expect(problem.errors).toHaveLength(1);
    expect(problem.errors[0]).toMatchObject({ code: "PATCH_MALFORMED", pointer });
    expect(problem.errors[0]?.detail).toMatch(detail);
    expect(problem.message).toBe(problem.errors[0]?.detail);
  });

  test.each(faults)("%s, whatever the document", (_name, patch) => {
    expect(problemFrom(() => jsonPatch({ a: { b: { c: 1 } } }, patch)).code).toBe("PATCH_MALFORMED");
  });
});

test("all faults are listed, up to twenty, each with the index of its operation", () => {
  const patch = [{ op: "add", path: "a", value: 1 }, { op: "remove", path: "/b" }, { op: "nothing" }, { op: "move", path: "c" }];
  const problem = problemFrom(() => parseJsonPatch(patch));
  expect(problem.message).toBe("5 problems were found.");
  expect(problem.errors.map(({ pointer }) => pointer)).toEqual(["/0/path", "/2/op", "/2", "/3/path", "/3"]);
  expect(problem.errors[0]?.detail).toBe('Operation 0: a pointer is empty or begins with "/"; got "a".');
  expect(problem.errors[1]?.allowed).toEqual(["add", "remove", "replace", "move", "copy", "test"]);
  expect(problemFrom(() => parseJsonPatch(Array.from({ length: 100 }, () => 0))).errors).toHaveLength(20);
});

test("long text of a client is cut before it is repeated", () => {
  const problem = problemFrom(() => parseJsonPatch([{ op: "x".repeat(100_000), path: "y".repeat(100_000) }]));
  expect(problem.errors).toHaveLength(2);
  for (const { detail } of problem.errors) expect(detail.length).toBeLessThan(300);
});

describe("what is left of a patch", () => {
  test("is its operations, without members that RFC 6902 does not know", () => {
    const patch = [
      { op: "add", path: "/a", value: null, from: 1, comment: "ignored (RFC 6902 §4)" },
      { op: "remove", path: "/a/b", value: 1 },
      { op: "move", path: "/m~1n", from: "/a/-", value: 1 },
    ];
    expect(parseJsonPatch(patch)).toEqual([
      { op: "add", path: "/a", value: null },
      { op: "remove", path: "/a/b" },
      { op: "move", from: "/a/-", path: "/m~1n" },
    ]);
  });

  test("shares no value with what came in", () => {
    const value = { b: 1 };
    const [operation] = parseJsonPatch([{ op: "add", path: "/a", value }]);
    value.b = 2;
    expect(operation).toEqual({ op: "add", path: "/a", value: { b: 1 } });
  });

  test("may be nothing", () => {
    expect(parseJsonPatch([])).toEqual([]);
  });

  test("has names such as toString, constructor and prototype where they are names", () => {
    const patch = [
      { op: "add", path: "/toString", value: { constructor: 1, prototype: 2, hasOwnProperty: 3 } },
      { op: "replace", path: "/constructor/name", value: 1 },
      { op: "remove", path: "/prototype/constructor" },
    ];
    expect(parseJsonPatch(patch)).toEqual(patch);
  });
});

describe("a limit", () => {
  const values = (count: number) => [{ op: "add", path: "/a", value: Array.from({ length: count - 1 }, () => 0) }];
  const tests = (count: number) => Array.from({ length: count }, () => ({ op: "test", path: "/a", value: 0 }));

  test.each<[string, Partial<JsonPatchLimits>, unknown, unknown]>([
    ["operations", {}, tests(100), tests(101)],
    ["operations", { operations: 2 }, tests(2), tests(3)],
    ["operations", { operations: 1_000 }, tests(1_000), tests(1_001)],
    ["nodes", {}, values(20_000), values(20_001)],
    ["nodes", { nodes: 2 }, tests(2), tests(3)],
    ["characters", { characters: 10 }, [{ op: "test", path: "/abcd", value: "12345" }], [{ op: "test", path: "/abcd", value: "123456" }]],
    ["characters", { characters: 10 }, [{ op: "copy", from: "/abcd", path: "/efgh" }], [{ op: "copy", from: "/abcd", path: "/efghi" }]],
    ["characters", { characters: 4 }, [{ op: "test", path: "/a", value: { bc: 1 } }], [{ op: "test", path: "/a", value: { bcd: 1 } }]],
    ["depth", { depth: 2 }, [{ op: "test", path: "", value: nested(2) }], [{ op: "test", path: "", value: nested(3) }]],
    ["steps", { depth: 2 }, [{ op: "remove", path: "/a/b" }], [{ op: "remove", path: "/a/b/c" }]],
  ])("on %s of %j lets through what reaches it, and nothing beyond", (name, limits, within, beyond) => {
    expect(() => parseJsonPatch(within, limits)).not.toThrow();
    const problem = problemFrom(() => parseJsonPatch(beyond, limits));
    expect(problem.code).toBe("PATCH_MALFORMED");
    expect(problem.message).toContain(name);
  });

  test.each([{ operations: 0 }, { operations: 1_001 }, { nodes: 1.5 }, { characters: Number.NaN }, { depth: 1_001 }, { depth: "64" as never }])(
    "that cannot be is the developer's mistake: %j",
    (limits) => {
      expect(() => parseJsonPatch([], limits)).toThrow(ConfigurationError);
      expect(() => jsonPatch({}, [], limits)).toThrow(ConfigurationError);
    },
  );

  test("that is undefined is the default", () => {
    expect(() => parseJsonPatch(tests(100), { operations: undefined as never })).not.toThrow();
  });
});
