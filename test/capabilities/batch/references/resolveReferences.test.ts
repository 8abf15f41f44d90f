import { describe, expect, test } from "vitest";
import { readSuboperation } from "../../../../src/capabilities/batch/plan/suboperation.js";
import type { SubResult } from "../../../../src/capabilities/batch/references/followReference.js";
import { resolveReferences } from "../../../../src/capabilities/batch/references/resolveReferences.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { problemFrom } from "../../../ground/http/problemFrom.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";
import { limits, resolve } from "./resolvedReferences.js";

const reference = (text: string) => ({ $result: text });

const op1: SubResult = {
  status: 201,
  id: "u1",
  data: { id: "u1", age: 41, admin: false, note: null, tags: ["a", "b"], items: [{ id: 7 }], größe: 3, "": 1 },
  headers: { etag: '"x"', location: "/users/u1" },
};

describe("a reference in a body", () => {
  test.each([
    ["op1.id", "u1"],
    ["op1.status", 201],
    ["op1.data.id", "u1"],
    ["op1.data.age", 41],
    ["op1.data.admin", false],
    ["op1.data.note", null],
    ["op1.data.tags", ["a", "b"]],
    ["op1.data.tags.1", "b"],
    ["op1.data.items.0.id", 7],
    ["op1.data.größe", 3],
    ["op1.data", op1.data],
    ["op1.headers.ETag", '"x"'],
    ["op1.headers", op1.headers],
  ])("%s becomes %j", (text, value) => {
    expect(resolve({ body: reference(text) }, { op1 }).body).toEqual(value);
    expect(resolve({ body: { a: [{ b: reference(text) }, 1] } }, { op1 }).body).toEqual({ a: [{ b: value }, 1] });
  });

  test.each([
    "op1.data.none",
    "op1.data.id.0",
    "op1.data.id.length",
    "op1.data.tags.2",
    "op1.data.tags.-1",
    "op1.data.tags.01",
    "op1.data.tags.1e0",
    "op1.data.tags.length",
    "op1.data.tags.map",
    "op1.data.tags.__proto__",
    "op1.data.__proto__",
    "op1.data.constructor",
    "op1.data.constructor.prototype",
    "op1.data.toString",
    "op1.data.hasOwnProperty",
    "op1.data.note.id",
    "op1.data.age.toFixed",
    "op1.status.constructor",
    "op1.headers.set-cookie",
  ])("%s leads to nothing", (text) => {
    const problem = problemFrom(() => resolve({ body: { a: reference(text) } }, { op1 }));
    expect(problem).toMatchObject({ code: "INVALID_BATCH", status: 400, errors: [{ pointer: "/body/a" }] });
    expect(problem.message).toContain(text);
  });

  test("that leads to nothing is told what there is", () => {
    const bare: SubResult = { status: 204, id: "u1", data: undefined };
    const problem = problemFrom(() => resolve({ body: reference("op1.data.id") }, { op1: bare }));
    expect(problem.errors).toMatchObject([{ allowed: ["status", "id"] }]);
  });

  test("takes a member that JSON has named __proto__ for what it is", () => {
    const data = JSON.parse('{"__proto__": {"admin": true}}') as unknown;
    const { body } = resolve({ body: { a: reference("op1.data") } }, { op1: { status: 200, data } });
    expect(JSON.stringify(body)).toBe('{"a":{"__proto__":{"admin":true}}}');
    expect((body as { a: { admin?: unknown } }).a.admin).toBeUndefined();
  });

  test("is not looked for in what another has put in", () => {
    const data = { a: reference("op2.data.secret") };
    expect(resolve({ body: [reference("op1.data")] }, { op1: { status: 200, data } }).body).toEqual([data]);
  });

  test("puts in copies, so that no operation can change the result of another", () => {
    const data = { tags: ["a"] };
    const { body } = resolve({ body: [reference("op1.data"), reference("op1.data")] }, { op1: { status: 200, data } });
    const [first, second] = body as [typeof data, typeof data];
    first.tags.push("b");
    expect([second, data]).toEqual([{ tags: ["a"] }, { tags: ["a"] }]);
  });
});

describe("a reference in a path", () => {
  test.each([
    ["u1", "u1"],
    [7, "7"],
    [-1.5, "-1.5"],
    [true, "true"],
    ["a/b", "a%2Fb"],
    ["a?b#c", "a%3Fb%23c"],
    ["//host", "%2F%2Fhost"],
    ["http://host", "http%3A%2F%2Fhost"],
    ["a\\b", "a%5Cb"],
    ["a b\r\nHost: x", "a%20b%0D%0AHost%3A%20x"],
    ["%2f", "%252f"],
    ["é", "%C3%A9"],
    ["...", "..."],
    ["{op2.id}", "%7Bop2.id%7D"],
    ["users?_method=DELETE", "users%3F_method%3DDELETE"],
  ])("%j becomes the one segment %s", (id, segment) => {
    expect(resolve({ url: "/users/{op1.id}/orders?x={op1.id}" }, { op1: { status: 200, id } })).toMatchObject({
      path: `/users/${segment}/orders`,
      query: "x={op1.id}",
    });
  });

  test.each([
    "",
    ".",
    "..",
    "%2e",
    "%2E%2e",
    ".%2e",
    "../batch",
    "a/../b",
    "a\\..",
    "..%2fbatch",
    "a%5c%2e%2e",
    null,
    {},
    [],
    ["a"],
    { a: 1 },
    "\ud800",
  ])("%j is no segment", (id) => {
    const problem = problemFrom(() => resolve({ url: "/users/{op1.id}/orders" }, { op1: { status: 200, id } }));
    expect(problem).toMatchObject({ code: "INVALID_BATCH", status: 400, errors: [{ pointer: "/url" }] });
  });

  test("makes no path that is too long", () => {
    const room = limits.targetBytes - "/users/?".length;
    expect(resolve({ url: "/users/{op1.id}" }, { op1: { status: 200, id: "x".repeat(room) } }).path).toHaveLength(limits.targetBytes - 1);
    for (const id of ["x".repeat(room + 1), "é".repeat(room / 3), "é".repeat(1_000_000)]) {
      const problem = problemFrom(() => resolve({ url: "/users/{op1.id}" }, { op1: { status: 200, id } }));
      expect(problem.errors).toMatchObject([{ code: "INVALID_BATCH", pointer: "/url", maximum: limits.targetBytes }]);
    }
  });

  test("stands beside others, and the body is left alone", () => {
    const body = { text: "{op1.id}" };
    const resolved = resolve({ url: "/{op1.data.items.0.id}/{op1.id}", body }, { op1 });
    expect(resolved.path).toBe("/7/u1");
    expect(resolved.body).toBe(body);
  });
});

describe("an operation with references", () => {
  test("keeps braces in its headers and its query as they are", () => {
    const given = { url: "/users/{op1.id}?a={op1.id}", headers: { "If-Match": "{op1.headers.etag}", Prefer: '{"$result":"op1.id"}' } };
    expect(resolve(given, { op1 })).toMatchObject({
      path: "/users/u1",
      query: "a={op1.id}",
      headers: ["if-match", "{op1.headers.etag}", "prefer", '{"$result":"op1.id"}'],
    });
  });

  test.each([400, 404, 422, 424, 429, 500, 503])("depends on one that did not answer %i", (status) => {
    const failed: SubResult = { status, id: "u1", data: { id: "u1" }, error: { detail: "secret" } };
    for (const given of [{ url: "/users/{op1.id}" }, { body: reference("op1.data.id") }, { body: reference("op1.status") }]) {
      const problem = problemFrom(() => resolve(given, { op1: failed }));
      expect(problem).toMatchObject({ code: "FAILED_DEPENDENCY", status: 424, errors: [{ code: "FAILED_DEPENDENCY" }] });
      expect(problem.message).not.toContain("secret");
    }
  });

  test("depends on one that was run", () => {
    expect(problemFrom(() => resolve({ body: reference("op1.id") }, {}))).toMatchObject({ code: "FAILED_DEPENDENCY", status: 424 });
  });

  test("is told of failures before it is told of missing places", () => {
    const body = [reference("op1.data.none"), reference("op2.data.id")];
    expect(problemFrom(() => resolve({ body }, { op1, op2: { status: 422 } }))).toMatchObject({
      code: "FAILED_DEPENDENCY",
      errors: [{ pointer: "/body/1" }],
    });
  });

  test("is told of all missing places", () => {
    const body = [reference("op1.data.none"), reference("op1.data.no")];
    expect(problemFrom(() => resolve({ url: "/{op1.data.nothing}", body }, { op1 })).errors.map(({ pointer }) => pointer)).toEqual([
      "/url",
      "/body/0",
      "/body/1",
    ]);
  });

  test("without any is itself", () => {
    const operation = readSuboperation({ method: "POST", url: "/users", body: {} }, 0, { mount: "", targetBytes: 100 });
    expect(resolveReferences(operation, new Map(), limits)).toBe(operation);
  });
});

describe("a body made of results", () => {
  const twice = (name: string) => ({ left: reference(`${name}.data`), right: reference(`${name}.data`) });

  test("that doubles with every operation stops at the limit", () => {
    const results: Record<string, SubResult> = { op0: { status: 201, data: { id: 1 } } };
    const started = process.cpuUsage();
    let refusedAt: number | undefined;
    for (let index = 1; index < 100; index++) {
      try {
        results[`op${index}`] = { status: 201, data: resolve({ body: twice(`op${index - 1}`) }, results).body };
      } catch (error) {
        refusedAt ??= index;
        expect((error as ProblemError).code).toBe(index === refusedAt ? "PAYLOAD_TOO_LARGE" : "FAILED_DEPENDENCY");
      }
    }
    // 3 × 2⁸ − 1 values are fewer than 1,000, 3 × 2⁹ − 1 are not.
    expect(refusedAt).toBe(9);
    expect(cpuMsSince(started)).toBeLessThan(2_000);
  });

  test("that a store has grown nonetheless is refused before it is walked", () => {
    let data: unknown = 1;
    for (let level = 0; level < 60; level++) data = { left: data, right: data };
    const problem = problemFrom(() => resolve({ body: reference("op1.data") }, { op1: { status: 200, data } }));
    expect(problem).toMatchObject({ code: "PAYLOAD_TOO_LARGE", status: 413, errors: [{ pointer: "/body" }] });
  });

  test.each([
    ["values", Array.from({ length: 999 }, () => 1), Array.from({ length: 1_000 }, () => 1), 1_000],
    ["characters", "x".repeat(10_000), "x".repeat(10_001), 10_000],
    ["levels", nest(20), nest(21), 20],
  ])("has so many %s and no more", (noun, most, more, maximum) => {
    expect(resolve({ body: reference("op1.data") }, { op1: { status: 200, data: most } }).body).toEqual(most);
    const problem = problemFrom(() => resolve({ body: reference("op1.data") }, { op1: { status: 200, data: more } }));
    expect(problem).toMatchObject({ code: "PAYLOAD_TOO_LARGE", extensions: { maximum } });
    expect(problem.message).toContain(noun);
  });

  test("is bounded as a whole, not reference by reference", () => {
    const data = "x".repeat(6_000);
    expect(resolve({ body: [reference("op1.data")] }, { op1: { status: 200, data } }).body).toEqual([data]);
    expect(() => resolve({ body: [reference("op1.data"), reference("op1.data")] }, { op1: { status: 200, data } })).toThrow(ProblemError);
  });
});

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}
