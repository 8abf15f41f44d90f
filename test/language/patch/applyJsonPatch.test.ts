import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyJsonPatch } from "../../../src/language/patch/applyJsonPatch.js";
import { jsonPatch } from "../../../src/language/patch/jsonPatch.js";
import type { JsonPatchOperation } from "../../../src/language/patch/jsonPatchOperation.js";
import { problemFrom } from "../../ground/http/problemFrom.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

const copied = (from: string, path: string): JsonPatchOperation => ({ op: "copy", from, path });
const moved = (from: string, path: string): JsonPatchOperation => ({ op: "move", from, path });

/** What the suite of json-patch-tests does not say, or says only in its newest version. */
describe("a patch", () => {
  test.each<[unknown, JsonPatchOperation[], unknown]>([
    [{ a: 1 }, [], { a: 1 }],
    [{}, [{ op: "add", path: "", value: [] }], []],
    [[], [{ op: "replace", path: "", value: { a: 1 } }], { a: 1 }],
    [{ a: 1 }, [{ op: "add", path: "", value: null }], null],
    [[], [{ op: "add", path: "/-", value: 1 }], [1]],
    [{ a: null }, [{ op: "replace", path: "/a", value: 1 }], { a: 1 }],
    [{ a: null }, [{ op: "remove", path: "/a" }], {}],
    [{ a: null }, [{ op: "test", path: "/a", value: null }], { a: null }],
    [{ a: { "-": 1, "01": 2, "": 3 } }, [moved("/a/-", "/a/00"), { op: "test", path: "/a/01", value: 2 }], { a: { "01": 2, "": 3, "00": 1 } }],
    [{ a: { b: 1 } }, [moved("/a/b", "/a")], { a: 1 }],
    [{ a: { b: 1 } }, [moved("/a/b", "")], 1],
    [{ a: { b: 1 } }, [copied("/a", "")], { b: 1 }],
    [{ a: 1 }, [copied("", "/b")], { a: 1, b: { a: 1 } }],
    [{ a: 1 }, [copied("", "")], { a: 1 }],
    [{ a: 1 }, [moved("", "")], { a: 1 }],
    [{ a: 1 }, [moved("/a", "/a")], { a: 1 }],
    [[1, 2, 3], [moved("/1", "/1")], [1, 2, 3]],
    [[1, 2, 3], [moved("/0", "/2")], [2, 3, 1]],
    [[1, 2, 3], [moved("/0", "/-")], [2, 3, 1]],
    [[1, 2, 3], [copied("/0", "/3")], [1, 2, 3, 1]],
    [[[1], [2], [3]], [moved("/0", "/1/-")], [[2], [3, [1]]]],
    [{ ab: {}, a: 1 }, [moved("/a", "/ab/a")], { ab: { a: 1 } }],
    [{ a: { b: 1 } }, [copied("/a", "/a/c")], { a: { b: 1, c: { b: 1 } } }],
    [{ a: [] }, [copied("/a", "/b"), { op: "add", path: "/a/-", value: 1 }], { a: [1], b: [] }],
    [{ a: [] }, [copied("/a", "/b"), { op: "add", path: "/b/-", value: 1 }], { a: [], b: [1] }],
    [{ a: { b: 1, c: [2, { d: 3 }] } }, [{ op: "test", path: "/a", value: { c: [2, { d: 3 }], b: 1 } }], { a: { b: 1, c: [2, { d: 3 }] } }],
    [{ a: 1 }, [{ op: "test", path: "/a", value: 1.0 }], { a: 1 }],
    [{ a: 0 }, [{ op: "test", path: "/a", value: -0 }], { a: 0 }],
    [{ hasOwnProperty: 1 }, [{ op: "test", path: "", value: { hasOwnProperty: 1 } }], { hasOwnProperty: 1 }],
    [
      {},
      [{ op: "add", path: "/constructor", value: { name: 1 } }, copied("/constructor/name", "/toString")],
      { constructor: { name: 1 }, toString: 1 },
    ],
    [{ a: 1, A: 2 }, [{ op: "remove", path: "/A" }], { a: 1 }],
  ])("makes of %j with %j %j", (document, patch, result) => {
    expect(jsonPatch(document, patch)).toEqual(result);
    expect(applyJsonPatch(document, patch)).toEqual(result);
  });
});

describe("a document conflicts with", () => {
  /** Document, the last operation of a patch, the member that is at fault, detail. */
  const missing: readonly (readonly [unknown, JsonPatchOperation, string, RegExp])[] = [
    [{ a: 1 }, { op: "remove", path: "/b" }, "path", /the document has no member "b"/],
    [{ a: {} }, { op: "replace", path: "/a/b", value: 1 }, "path", /"\/a" has no member "b"/],
    [{ a: 1 }, { op: "test", path: "/b", value: null }, "path", /no member "b"/],
    [{ a: {} }, { op: "add", path: "/a/b/c", value: 1 }, "path", /"\/a" has no member "b"/],
    [{ a: "text" }, { op: "add", path: "/a/0", value: 1 }, "path", /"\/a" is neither an object nor an array; it has nothing at "0"/],
    [{ a: "text" }, { op: "test", path: "/a/length", value: 4 }, "path", /neither an object nor an array/],
    [{ a: null }, { op: "add", path: "/a/b", value: 1 }, "path", /neither an object nor an array/],
    [1, { op: "replace", path: "/a", value: 1 }, "path", /the document is neither an object nor an array/],
    [{ a: 1 }, copied("/b", "/a"), "from", /no member "b"/],
    [{ a: 1 }, moved("/b", "/b"), "from", /no member "b"/],
    [{ a: 1 }, copied("/a", "/b/c"), "path", /no member "b"/],
    [{ a: [1] }, copied("/a/-", "/b"), "from", /"-" is not an index of it, allowed: 0 to 0\./],
    [[1, 2, 3], moved("/0", "/3"), "path", /"3" is not an index of it, allowed: 0 to 2, or "-" for its end/],
    [{ a: [1, 2] }, { op: "test", path: "/a/0", value: 2 }, "path", /"\/a\/0" does not have the value of the test/],
    [{ a: { b: 1 } }, { op: "test", path: "/a", value: { b: 1, c: 1 } }, "path", /does not have the value/],
    [{ a: { b: 1, c: 2 } }, { op: "test", path: "/a", value: { b: 1 } }, "path", /does not have the value/],
    [{ a: [1, 2] }, { op: "test", path: "/a", value: [2, 1] }, "path", /does not have the value/],
    [{ a: [] }, { op: "test", path: "/a", value: {} }, "path", /does not have the value/],
    [{ a: {} }, { op: "test", path: "/a", value: [] }, "path", /does not have the value/],
    [{ a: 1 }, { op: "test", path: "/a", value: "1" }, "path", /does not have the value/],
    [{ a: null }, { op: "test", path: "/a", value: {} }, "path", /does not have the value/],
    [{ a: {} }, { op: "test", path: "/a", value: null }, "path", /does not have the value/],
    [{ a: {} }, { op: "test", path: "/a", value: { toString: 1 } }, "path", /does not have the value/],
    [{ a: { b: 1 } }, { op: "test", path: "", value: { a: { c: 1 } } }, "path", /the document does not have the value/],
    ...["constructor", "toString", "hasOwnProperty", "valueOf", "prototype"].flatMap((name) => [
      [{}, copied(`/${name}`, "/a"), "from", /has no member/] as const,
      [{}, { op: "test", path: `/${name}`, value: 1 } as const, "path", /has no member/] as const,
      [{}, { op: "add", path: `/${name}/a`, value: 1 } as const, "path", /has no member/] as const,
      [[], copied(`/${name}`, "/0"), "from", /is not an index/] as const,
    ]),
    [[], { op: "add", path: "/constructor/prototype2", value: 1 }, "path", /"constructor" is not an index/],
  ];
  test.each(missing)("%j: %j", (document, operation, member, detail) => {
    const before: JsonPatchOperation[] = [{ op: "test", path: "", value: document }, copied("", "")];
    const problem = problemFrom(() => jsonPatch(document, [...before, operation]));
    expect(problem).toMatchObject({ code: "PATCH_CONFLICT", status: 409, extensions: { operation: 2 } });
    expect(problem.errors).toEqual([{ code: "PATCH_CONFLICT", detail: problem.message, pointer: `/2/${member}` }]);
    expect(problem.message).toMatch(detail);
    expect(problem.message.startsWith(`Operation 2 (${operation.op}): `)).toBe(true);
  });
});

describe("an array of three has nothing at", () => {
  const noIndex = [
    "3",
    "00",
    "01",
    "-0",
    "-1",
    "+1",
    "1.0",
    "1e0",
    "0x1",
    " 1",
    "1 ",
    "",
    "a",
    "length",
    "٢",
    "２",
    String(2 ** 31),
    String(2 ** 32),
    "4294967295",
    `1${"0".repeat(400)}`,
    "9".repeat(15),
    "9".repeat(17),
  ];
  const takers: readonly ((token: string) => JsonPatchOperation)[] = [
    (token) => ({ op: "remove", path: `/${token}` }),
    (token) => ({ op: "replace", path: `/${token}`, value: 0 }),
    (token) => ({ op: "test", path: `/${token}`, value: 1 }),
    (token) => copied(`/${token}`, "/0"),
    (token) => moved(`/${token}`, "/0"),
  ];
  const givers: readonly ((token: string) => JsonPatchOperation)[] = [
    (token) => ({ op: "add", path: `/${token}`, value: 0 }),
    (token) => copied("/0", `/${token}`),
    (token) => ({ op: "add", path: `/${token}/a`, value: 0 }),
  ];

  test.each([...noIndex, "-"])('"%s", to take', (token) => {
    for (const operation of takers) expect(problemFrom(() => jsonPatch([1, 2, 3], [operation(token)])).code).toBe("PATCH_CONFLICT");
  });

  test.each(noIndex.filter((token) => token !== "3"))('"%s", to add', (token) => {
    for (const operation of givers) expect(problemFrom(() => jsonPatch([1, 2, 3], [operation(token)])).code).toBe("PATCH_CONFLICT");
  });

  test("4, to add, and 3, to move one there", () => {
    expect(problemFrom(() => jsonPatch([1, 2, 3], [{ op: "add", path: "/4", value: 0 }])).message).toMatch(/allowed: 0 to 3, or "-"/);
    expect(problemFrom(() => jsonPatch([1, 2, 3], [moved("/0", "/3")])).message).toMatch(/allowed: 0 to 2, or "-"/);
  });

  test("and an empty one nothing at all", () => {
    expect(problemFrom(() => jsonPatch([], [{ op: "remove", path: "/0" }])).message).toMatch(/"0" is not an index of it, it is empty\./);
  });
});

describe("what no body may hold cannot be built by", () => {
  test.each<[string, unknown, JsonPatchOperation[]]>([
    ["add", {}, [{ op: "add", path: "/constructor", value: { prototype: {} } }]],
    ["replace", { constructor: 1 }, [{ op: "replace", path: "/constructor", value: { prototype: {} } }]],
    ["copy", { a: { prototype: {} } }, [copied("/a", "/constructor")]],
    ["move", { a: { prototype: {} } }, [moved("/a", "/constructor")]],
    [
      "two steps",
      {},
      [
        { op: "add", path: "/constructor", value: {} },
        { op: "add", path: "/constructor/prototype", value: 1 },
      ],
    ],
  ])("%s", (_name, document, patch) => {
    expect(problemFrom(() => jsonPatch(document, patch))).toMatchObject({ code: "PATCH_MALFORMED", message: expect.stringMatching(/prototype/) });
  });
});

describe("a document", () => {
  test("is not changed, nor is the patch, when a later operation fails", () => {
    const document = { a: [1, { b: 2 }] };
    const patch: JsonPatchOperation[] = [
      { op: "add", path: "/c", value: { d: [] } },
      { op: "add", path: "/c/d/-", value: 1 },
      { op: "remove", path: "/a/1/b" },
      moved("/a", "/c/a"),
      { op: "test", path: "/c", value: 0 },
    ];
    const texts = [JSON.stringify(document), JSON.stringify(patch)];
    expect(problemFrom(() => jsonPatch(document, patch)).extensions).toEqual({ operation: 4 });
    expect([JSON.stringify(document), JSON.stringify(patch)]).toEqual(texts);
  });

  test("and a patch are left alone by changes to the result", () => {
    const document = { a: { b: [1] } };
    const value = { c: [2] };
    const result = jsonPatch(document, [{ op: "add", path: "/v", value }, copied("/a", "/w")]) as Record<string, { b: number[]; c: number[] }>;
    result["a"]?.b.push(9);
    result["v"]?.c.push(9);
    expect([document, value, result["w"]]).toEqual([{ a: { b: [1] } }, { c: [2] }, { b: [1] }]);
  });

  test("is taken as JSON would write it", () => {
    const document = { at: new Date(0), none: undefined, list: [undefined, () => 1], call: () => 1, big: 1n };
    expect(jsonPatch(document, [])).toEqual({ at: "1970-01-01T00:00:00.000Z", list: [null, null], big: 1n });
    expect(jsonPatch({ at: new Date(0) }, [{ op: "test", path: "/at", value: new Date(0) }])).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  });

  test("may have members of any name, __proto__ included, and no patch reaches that one", () => {
    const document: unknown = JSON.parse('{"__proto__":{"a":1},"b":1}');
    const result = jsonPatch(document, [{ op: "remove", path: "/b" }]) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"a":1}}');
    expect(problemFrom(() => jsonPatch(JSON.parse('{"__proto__":{}}'), [{ op: "test", path: "", value: { b: 1 } }])).code).toBe("PATCH_CONFLICT");
  });

  test("that is nested as deep as allowed can be changed at its bottom, and a deeper one not at all", () => {
    const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)]);
    expect(jsonPatch(nested(64), [{ op: "replace", path: "/0".repeat(64), value: 1 }])).not.toEqual(nested(64));
    expect(problemFrom(() => jsonPatch(nested(65), [])).code).toBe("PATCH_CONFLICT");
    expect(problemFrom(() => jsonPatch(nested(1_000), [])).message).toMatch(/deeper than 64 levels/);
  });
});

test("applying an operation at a time comes to the same as applying all", () => {
  const pointers = ["", "/a", "/b", "/a/0", "/a/-", "/a/b", "/b/a"];
  const operation = fc.oneof(
    fc.record({
      op: fc.constantFrom("add", "replace", "test"),
      path: fc.constantFrom(...pointers),
      value: fc.constantFrom(0, [], {}, [1], { b: 1 }),
    }),
    fc.record({ op: fc.constantFrom("move", "copy"), path: fc.constantFrom(...pointers), from: fc.constantFrom(...pointers) }),
    fc.record({ op: fc.constant("remove"), path: fc.constantFrom(...pointers) }),
  );
  fc.assert(
    fc.property(fc.constantFrom({}, [], { a: [1, 2], b: {} }, 0), fc.array(operation, { maxLength: 8 }), (document, patch) => {
      const attempt = (run: () => unknown) => {
        try {
          return { result: run() };
        } catch (error) {
          return { code: (error as { code: unknown }).code };
        }
      };
      const stepwise = attempt(() => patch.reduce<unknown>((current, one) => jsonPatch(current, [one]), document));
      const whole = attempt(() => jsonPatch(document, patch));
      // A patch that is malformed anywhere is so before anything is applied.
      if (whole["code"] === "PATCH_MALFORMED") expect(stepwise).toHaveProperty("code");
      else expect(whole).toEqual(stepwise);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});
