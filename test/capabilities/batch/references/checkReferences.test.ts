import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkReferences, type Named } from "../../../../src/capabilities/batch/references/checkReferences.js";
import { referencesOf } from "../../../../src/capabilities/batch/references/referencesOf.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { problemFrom } from "../../../ground/http/problemFrom.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const result = (text: unknown) => ({ $result: text });
const inBody = (body: unknown) => ({ path: "/users", body });

/** Operations in order; each is its name and its body. */
function batch(...operations: readonly (readonly [name: string | undefined, body?: unknown, path?: string])[]): Named[] {
  return operations.map(([name, body, path = "/users"], index) => ({ index, name, path, body }));
}

describe("the references of an operation", () => {
  test("are whole segments of its path and objects anywhere in its body", () => {
    const body = { owner: result("op1.data.id"), items: [1, { "a/b": result("op2.headers.ETag") }], text: "{op1.data.id}", none: null };
    expect(referencesOf({ path: "/users/{op1.data.id}/orders/{op3.id}", body })).toEqual([
      { text: "op1.data.id", name: "op1", steps: ["data", "id"], pointer: "/url" },
      { text: "op3.id", name: "op3", steps: ["id"], pointer: "/url" },
      { text: "op1.data.id", name: "op1", steps: ["data", "id"], pointer: "/body/owner" },
      { text: "op2.headers.ETag", name: "op2", steps: ["headers", "etag"], pointer: "/body/items/1/a~1b" },
    ]);
    expect(referencesOf(inBody(result("op1.status")))).toMatchObject([{ steps: ["status"], pointer: "/body" }]);
    expect(referencesOf(inBody(undefined))).toEqual([]);
  });

  test.each([
    "",
    "op1",
    "op1.",
    ".data",
    "op1..id",
    "op1.data.",
    "1op.data",
    "__proto__.data",
    "op 1.data",
    "op1.dta.id",
    "op1.error.detail",
    "op1.__proto__",
    "op1.constructor.name",
    "op1.index",
    `op1.data${".a".repeat(16)}`,
    `op1.data.${"a".repeat(256)}`,
  ])("%j is none", (text) => {
    expect(problemFrom(() => referencesOf(inBody({ a: result(text) })))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/body/a" }] });
    expect(problemFrom(() => referencesOf({ path: `/users/{${text}}`, body: null }))).toMatchObject({ errors: [{ pointer: "/url" }] });
  });

  test("go on with a part that a result has", () => {
    const problem = problemFrom(() => referencesOf(inBody(result("op1.dta.id"))));
    expect(problem.errors).toMatchObject([{ allowed: ["status", "id", "data", "headers"] }]);
  });

  test("have up to 16 steps", () => {
    expect(referencesOf(inBody(result(`op1.data${".a".repeat(15)}`)))[0]?.steps).toHaveLength(16);
  });

  test.each([null, 5, ["op1.id"], {}, undefined, result("op1.id")])("with %j in place of their text are refused", (text) => {
    expect(problemFrom(() => referencesOf(inBody([result(text)])))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/body/0" }] });
  });

  test("beside other members are refused", () => {
    const body = { deep: { ...result("op1.id"), other: 1 } };
    expect(problemFrom(() => referencesOf(inBody(body)))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/body/deep" }] });
  });

  test("are 100 at most", () => {
    const many = (count: number) => inBody(Array.from({ length: count }, () => result("op1.id")));
    expect(referencesOf(many(100))).toHaveLength(100);
    expect(problemFrom(() => referencesOf(many(101))).errors).toMatchObject([{ pointer: "", maximum: 100 }]);
    expect(problemFrom(() => referencesOf(inBody(Array.from({ length: 101 }, () => result(5))))).errors).toMatchObject([{ maximum: 100 }]);
  });

  test("stand nowhere in names of members, of which a long one is not repeated", () => {
    expect(referencesOf(inBody({ "{op1.id}": "$result" }))).toEqual([]);
    expect(referencesOf(inBody({ a: { ["x".repeat(300)]: [result("op1.id")] } }))).toMatchObject([{ pointer: "/body/a" }]);
  });
});

describe("the references of a batch", () => {
  test("lead to operations before, also from a path and through one another", async () => {
    const operations = batch(["op1"], ["op2", result("op1.id")], [undefined, [result("op2.id"), result("op1.id")], "/users/{op2.id}"]);
    expect(await checkReferences(operations)).toEqual(new Map());
  });

  test.each([
    ["forward", batch(["op1", result("op2.id")], ["op2"]), 0, "a later operation", []],
    ["itself", batch(["op1"], ["op2", result("op2.id")]), 1, "its own operation", ["op1"]],
    ["nowhere", batch(["op1"], ["op2", result("op3.id")]), 1, "no operation of this batch", ["op1"]],
    ["to another case", batch(["op1"], ["op2", result("OP1.id")]), 1, "no operation of this batch", ["op1"]],
    ["to what every object has", batch(["op1"], ["op2", result("constructor.id")]), 1, "no operation of this batch", ["op1"]],
  ] as const)("that lead %s are refused with the names that stand before", async (_, operations, index, what, allowed) => {
    const problems = await checkReferences(operations);
    expect([...problems.keys()]).toEqual([index]);
    expect(problems.get(index)).toMatchObject({ code: "INVALID_BATCH", status: 400, errors: [{ pointer: "/body", allowed }] });
    expect(problems.get(index)?.message).toContain(what);
  });

  test("in a path are refused alike", async () => {
    const problems = await checkReferences(batch([undefined, undefined, "/users/{op9.id}"]));
    expect(problems.get(0)).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/url", allowed: [] }] });
    expect(problems.get(0)?.message).toContain('"op9.id"');
  });

  test("that are malformed are refused beside the others", async () => {
    const problems = await checkReferences(batch(["op1", result("op1")], ["op2", result("op1.id")], ["op3", { ...result("op1.id"), a: 1 }]));
    expect([...problems.keys()]).toEqual([0, 2]);
  });

  test("cannot tell two operations of one name apart, so the later is refused", async () => {
    const problems = await checkReferences(batch(["op1"], ["op1"], ["op2", result("op1.id")], ["op1"]));
    expect([...problems.keys()]).toEqual([1, 3]);
    expect(problems.get(1)).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/name" }] });
  });

  test("are judged by the index of the batch, where some operations are left out", async () => {
    const problems = await checkReferences([
      { index: 4, name: "op1", path: "/", body: undefined },
      { index: 7, path: "/{op2.id}", body: undefined },
    ]);
    expect([...problems.keys()]).toEqual([7]);
  });
});

test("any body has references or a problem", () => {
  const reference = fc.oneof(fc.constantFrom("op1.id", "op1.data.a", "x.y"), fc.string(), fc.jsonValue()).map(result);
  const tree = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), reference, tie("list"), tie("object")),
    list: fc.array(tie("value")),
    object: fc.dictionary(fc.constantFrom("a", "$result", "__proto__", "b"), tie("value")),
  }));
  const numRuns = propertyRuns(2_000);
  const seen = { clean: 0, refused: 0 };
  fc.assert(
    fc.property(tree.value, fc.string(), (body, segment) => {
      try {
        for (const { steps, name } of referencesOf({ path: `/${segment}`, body })) {
          expect(steps.length).toBeLessThanOrEqual(16);
          expect(name).toMatch(/^[A-Za-z]/);
        }
        seen.clean += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(ProblemError);
        seen.refused += 1;
      }
    }),
    { numRuns, seed: 7 },
  );
  expect(Math.min(seen.clean, seen.refused)).toBeGreaterThan(numRuns / 20);
});
