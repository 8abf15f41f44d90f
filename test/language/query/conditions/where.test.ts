import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cpuMsSince } from "../../../tools/cpuMs.js";
import { and, any, eq, gt, gte, has, holds, like, lt, lte, ne, not, oneOf, or } from "../ast.js";
import { admin, problemFrom, tableOf, where } from "../language.js";

const everything = and();

describe("a filter in a body", () => {
  test.each([
    ["a value is equality", { name: "a" }, eq("name", "a")],
    ["members are combined with AND", { name: "a", total: 5 }, and(eq("name", "a"), eq("total", 5))],
    ["none asks for nothing", {}, undefined],
    ["null asks for rows without a value", { quantity: null }, eq("quantity", null)],
    ["ne null asks for a value", { quantity: { ne: null } }, has("quantity")],
    ["null works where only `exists` does", { address: null, lines: { ne: null } }, and(eq("address", null), has("lines"))],
    ["a list is IN", { name: ["a", "b"] }, oneOf("name", "a", "b")],
    ["a list of one is equality", { name: ["a"] }, eq("name", "a")],
    ["an empty list matches nothing", { name: [] }, oneOf("name")],
    ["a list with null", { quantity: [1, null, 2] }, or(oneOf("quantity", 1, 2), eq("quantity", null))],
    ["a list of null", { quantity: [null] }, eq("quantity", null)],
    ["in with null", { quantity: { in: [1, null] } }, or(eq("quantity", 1), eq("quantity", null))],
    ["nin with null", { quantity: { nin: [1, null] } }, and(ne("quantity", 1), has("quantity"))],
    ["nin of null", { quantity: { nin: [null] } }, has("quantity")],
    ["eq and ne take lists", { name: { eq: ["a", "b"], ne: ["c", "d"] } }, and(oneOf("name", "a", "b"), not(oneOf("name", "c", "d")))],
    ["arrays", { tags: ["a", "b"] }, or(holds("tags", "a"), holds("tags", "b"))],
    ["arrays that hold all", { tags: { all: ["a", "b"] } }, and(holds("tags", "a"), holds("tags", "b"))],
    ["an array that holds nothing of all", { tags: { all: [] } }, everything],
    ["several operators", { total: { gte: 1, lt: 5 } }, and(gte("total", 1), lt("total", 5))],
    ["a dotted path", { "address.city": "Rom" }, eq("address.city", "Rom")],
    ["a nested path", { address: { city: "Rom", geo: { lat: { gt: 5 } } } }, and(eq("address.city", "Rom"), gt("address.geo.lat", 5))],
    ["both in one", { address: { city: "Rom" }, "address.geo.lat": { lte: 5 } }, and(eq("address.city", "Rom"), lte("address.geo.lat", 5))],
    ["operators and members of one field", { address: { exists: true, city: "Rom" } }, and(has("address"), eq("address.city", "Rom"))],
    ["exists", { name: { exists: false } }, eq("name", null)],
    ["like", { name: { like: "a*" } }, like("name", "a", any)],
    ["a text with a comma", { name: "a,b" }, eq("name", "a,b")],
    ["a text with a star", { name: "*" }, eq("name", "*")],
    [
      "the empty text",
      { name: "", tags: [""], email: ["", "a@example.com"] },
      and(eq("name", ""), holds("tags", ""), oneOf("email", "", "a@example.com")),
    ],
    ["and", { and: [{ name: "a" }, { total: 5 }] }, and(eq("name", "a"), eq("total", 5))],
    ["or", { or: [{ name: "a", total: 1 }, { total: 5 }] }, or(and(eq("name", "a"), eq("total", 1)), eq("total", 5))],
    ["not", { not: { name: "a" } }, not(eq("name", "a"))],
    ["and of nothing is every row, or of nothing is none", { and: [], or: [] }, and(everything, or())],
    ["an empty filter in a list is every row", { or: [{}, { name: "a" }] }, or(everything, eq("name", "a"))],
    ["not of an empty filter is no row", { not: {} }, not(everything)],
    [
      "all together",
      { name: "a", or: [{ not: { total: 1 } }, { and: [{ total: 2 }] }] },
      and(eq("name", "a"), or(not(eq("total", 1)), and(eq("total", 2)))),
    ],
    ["a bigint as a number", { big: 5 }, eq("big", 5n)],
    ["a bigint as a text", { big: "9007199254740993" }, eq("big", 9007199254740993n)],
    ["a day of a date-time", { createdAt: { lt: "2026-01-31" } }, lt("createdAt", new Date("2026-01-31T00:00:00Z"))],
    ["a Date in code", { createdAt: new Date(5) }, eq("createdAt", new Date(5))],
    ["a bigint in code", { big: 5n }, eq("big", 5n)],
    ["a union", { either: [5, true, "x", ""] }, oneOf("either", 5, true, "x", "")],
  ])("%s", (_name, filter, expected) => {
    expect(where(filter)).toEqual(expected);
  });
});

const nul = "a text without NUL and without halves of surrogate pairs";

describe("a filter in a body is refused", () => {
  const refused: [filter: unknown, code: string, pointer: string, detail: RegExp][] = [
    [null, "INVALID_VALUE", "/filter", /A filter must be an object\./],
    [[], "INVALID_VALUE", "/filter", /A filter must be an object/],
    ["name=a", "INVALID_VALUE", "/filter", /A filter must be an object/],
    [{ statos: 1 }, "UNKNOWN_FIELD", "/filter/statos", /Unknown field "statos" in "\/filter\/statos"\. Did you mean "status"\?/],
    [{ "a/b~c": 1 }, "UNKNOWN_FIELD", "/filter/a~1b~0c", /"a\/b~c"/],
    [{ "": 1 }, "UNKNOWN_FIELD", "/filter/", /Unknown field ""/],
    [{ address: { citty: "x" } }, "UNKNOWN_FIELD", "/filter/address/citty", /Did you mean "address\.city"\?/],
    [{ "address[city]": "x" }, "UNKNOWN_FIELD", "/filter/address[city]", /Did you mean "address.city"/],
    [{ address_city: "x" }, "UNKNOWN_FIELD", "/filter/address_city", /Unknown/],
    [{ minTotal: 5 }, "UNKNOWN_FIELD", "/filter/minTotal", /Unknown/],
    [{ "name[eq]": "x" }, "UNKNOWN_FIELD", "/filter/name[eq]", /Unknown/],
    [JSON.parse('{"__proto__": 1}'), "UNKNOWN_FIELD", "/filter/__proto__", /__proto__/],
    [JSON.parse('{"name": {"__proto__": 1}}'), "UNKNOWN_OPERATOR", "/filter/name/__proto__", /__proto__/],
    [JSON.parse('{"address": {"constructor": 1}}'), "UNKNOWN_FIELD", "/filter/address/constructor", /address\.constructor/],
    [{ total: { foo: 1 } }, "UNKNOWN_OPERATOR", "/filter/total/foo", /Unknown operator "foo" for "total"\. Allowed: eq/],
    [{ total: { GTE: 1 } }, "UNKNOWN_OPERATOR", "/filter/total/GTE", /GTE/],
    [{ total: { like: "1" } }, "OPERATOR_NOT_ALLOWED", "/filter/total/like", /"like" is not allowed on "total"/],
    [{ address: "Rom" }, "OPERATOR_NOT_ALLOWED", "/filter/address", /"eq" is not allowed on "address"/],
    [{ address: ["Rom"] }, "OPERATOR_NOT_ALLOWED", "/filter/address", /"in" is not allowed on "address"/],
    [{ total: "5" }, "INVALID_VALUE", "/filter/total", /"total" must be a number; got "5"/],
    [{ total: true }, "INVALID_VALUE", "/filter/total", /a number; got "true"/],
    [{ total: Number.NaN }, "INVALID_VALUE", "/filter/total", /a number; got "NaN"/],
    [{ total: undefined }, "INVALID_VALUE", "/filter/total", /a number; got "undefined"/],
    [{ quantity: 1.5 }, "INVALID_VALUE", "/filter/quantity", /an integer/],
    [{ quantity: 2 ** 53 }, "INVALID_VALUE", "/filter/quantity", /from -\(2\^53 - 1\) to/],
    [{ big: 2 ** 53 }, "INVALID_VALUE", "/filter/big", /an integer of 64 bits/],
    [{ big: 2n ** 63n }, "INVALID_VALUE", "/filter/big", /an integer of 64 bits/],
    [{ active: 1 }, "INVALID_VALUE", "/filter/active", /true or false; got "1"/],
    [{ active: "true" }, "INVALID_VALUE", "/filter/active", /true or false/],
    [{ name: 5 }, "INVALID_VALUE", "/filter/name", /"name" must be a text; got "5"/],
    [{ status: "lost" }, "INVALID_VALUE", "/filter/status", /one of open, paid, void/],
    [{ level: "1" }, "INVALID_VALUE", "/filter/level", /one of 1, 2, 3/],
    [{ day: 5 }, "INVALID_VALUE", "/filter/day", /a date/],
    [{ createdAt: 5 }, "INVALID_VALUE", "/filter/createdAt", /a date/],
    [{ createdAt: new Date(Number.NaN) }, "INVALID_VALUE", "/filter/createdAt", /a date/],
    [{ email: "a b@example.com" }, "INVALID_VALUE", "/filter/email", /of the format email/],
    [{ name: "a\0" }, "INVALID_VALUE", "/filter/name", new RegExp(nul)],
    [{ name: { like: "a\ud800" } }, "INVALID_VALUE", "/filter/name/like", new RegExp(nul)],
    [{ quantity: "" }, "EMPTY_VALUE", "/filter/quantity", /"quantity" has an empty value/],
    [{ counts: [1, ""] }, "EMPTY_VALUE", "/filter/counts/1", /empty/],
    [{ name: {} }, "EMPTY_VALUE", "/filter/name", /empty/],
    [{ address: {} }, "EMPTY_VALUE", "/filter/address", /empty/],
    [{ name: { like: "" } }, "EMPTY_VALUE", "/filter/name/like", /empty/],
    [{ name: { like: 5 } }, "INVALID_VALUE", "/filter/name/like", /must be a text/],
    [{ name: { like: ["a"] } }, "INVALID_VALUE", "/filter/name/like", /must be a text/],
    [{ name: { exists: "true" } }, "INVALID_VALUE", "/filter/name/exists", /"exists" of "name" must be true or false; got "true"/],
    [{ name: { exists: { toString: 1 } } }, "INVALID_VALUE", "/filter/name/exists", /got an object/],
    [{ total: { gte: [1] } }, "SINGLE_VALUE_REQUIRED", "/filter/total/gte", /"gte" of "total" takes one value/],
    [{ total: { gte: null } }, "INVALID_VALUE", "/filter/total/gte", /a number\./],
    [{ tags: { all: [null] } }, "INVALID_VALUE", "/filter/tags/all/0", /a text\./],
    [{ total: { in: { toString: 1 } } }, "INVALID_VALUE", "/filter/total/in", /a number\./],
    [{ total: [1, [2]] }, "INVALID_VALUE", "/filter/total/1", /a number\./],
    [{ and: {} }, "INVALID_VALUE", "/filter/and", /"and" must be an array of filters/],
    [{ or: [null] }, "INVALID_VALUE", "/filter/or/0", /A filter must be an object/],
    [{ not: [] }, "INVALID_VALUE", "/filter/not", /A filter must be an object/],
    [{ or: [{ name: "a" }, { not: { statos: 1 } }] }, "UNKNOWN_FIELD", "/filter/or/1/not/statos", /statos/],
    [{ key: "1234" }, "INVALID_VALUE", "/filter/key", /"key" must be a UUID\.$/],
    [{ secret: 1 }, "UNKNOWN_FIELD", "/filter/secret", /Unknown field "secret" in/],
    [{ plan: { foo: 1 } }, "UNKNOWN_FIELD", "/filter/plan", /Unknown field "plan" in/],
  ];
  test.each(refused.map(([filter, ...rest]) => [inspect(filter), filter, ...rest] as const))("%s", (_name, filter, code, pointer, detail) => {
    const problem = problemFrom(() => where(filter));
    expect(problem.errors).toMatchObject([{ code, pointer, detail: expect.stringMatching(detail) }]);
    expect(problem.errors[0]).not.toHaveProperty("hint", expect.stringContaining("%2B"));
    expect(problem.status).toBe(400);
  });

  test("as forbidden where the field is", () => {
    expect(problemFrom(() => where({ ssn: 1 }))).toMatchObject({ status: 403, errors: [{ code: "FORBIDDEN_FIELD", pointer: "/filter/ssn" }] });
    expect(where({ ssn: "1", plan: "x" }, { gate: admin })).toEqual(and(eq("ssn", "1"), eq("plan", "x")));
  });

  test("with everything that is wrong at once", () => {
    const { errors } = problemFrom(() => where({ total: "x", or: [{ quantity: 1.5 }, { nome: 1 }], name: { gte: ["a"], like: "" } }));
    expect(errors.map((item) => item.pointer)).toEqual([
      "/filter/total",
      "/filter/or/0/quantity",
      "/filter/or/1/nome",
      "/filter/name/gte",
      "/filter/name/like",
    ]);
  });

  test("soon where it is huge: what lies beyond a limit is not read", () => {
    const deep = Array.from({ length: 5_000 }).reduce<object>((filter) => ({ not: filter }), { name: "a" });
    expect(problemFrom(() => where(deep)).code).toBe("QUERY_TOO_COMPLEX");
    const more = { or: Array.from({ length: 100 }, () => ({})), nome: 1 };
    expect(problemFrom(() => where(more)).errors.map(({ code }) => code)).toEqual(["QUERY_TOO_COMPLEX"]);
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`x${index}`, 1]));
    const before = process.cpuUsage();
    expect(problemFrom(() => where(wide)).errors).toHaveLength(20);
    expect(cpuMsSince(before)).toBeLessThan(200);
  });
});

test("fields called and, or, not are none in a body, of which the developer is told", () => {
  const table = tableOf({}, z.object({ id: z.int(), and: z.string(), not: z.object({ or: z.string() }) }));
  expect(table.warnings).toEqual([
    expect.stringContaining('"and" is not usable as a field in a filter of a body'),
    expect.stringContaining('"not" is not usable as a field'),
  ]);
  expect(where({ "not.or": "x" }, { table })).toEqual(eq("not.or", "x"));
});
