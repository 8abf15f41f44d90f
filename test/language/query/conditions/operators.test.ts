import { describe, expect, test } from "vitest";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Scalar } from "../../../../src/ground/storage/values/scalar.js";
import { operators } from "../../../../src/language/query/conditions/operator.js";
import { and, any, eq, gt, gte, has, holds, like, lt, lte, ne, not, oneOf, or } from "../ast.js";
import { parse, problemFrom, refusal, tableOf, where } from "../language.js";

const equality = ["eq", "ne", "in", "nin", "exists"];
const order = ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists"];
const text = ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "like", "exists"];
const list = ["eq", "ne", "in", "nin", "all", "exists"];
const instant = "2026-01-31T10:00:00.000Z";
const uuid = "0f6f4a0e-3a53-4c0b-9c43-3f5a2c8f1f0d";

/** A value as a query string has it, as JSON has it, and as the store gets it. */
const types: [kind: string, key: string, allowed: string[], raw: string, json: unknown, stored: Scalar][] = [
  ["text", "name", text, "a", "a", "a"],
  ["nested text", "address.city", text, "a", "a", "a"],
  ["a number", "total", order, "1.5", 1.5, 1.5],
  ["a nested number", "address.geo.lat", order, "1.5", 1.5, 1.5],
  ["an int", "quantity", order, "7", 7, 7],
  ["a bigint", "big", order, "9007199254740993", "9007199254740993", 9007199254740993n],
  ["a nested bigint", "address.serial", equality, "9007199254740993", "9007199254740993", "9007199254740993"],
  ["a date", "day", order, "2026-01-31", "2026-01-31", "2026-01-31"],
  ["a date-time", "createdAt", order, instant, instant, new Date(instant)],
  ["a nested date-time", "address.opened", order, instant, instant, instant],
  ["an enum", "status", equality, "open", "open", "open"],
  ["a literal", "level", equality, "2", 2, 2],
  ["a UUID", "key", equality, uuid, uuid, uuid],
  ["a boolean", "active", equality, "true", true, true],
  ["a union", "either", equality, "5", 5, 5],
  ["an array of texts", "tags", list, "a", "a", "a"],
  ["an array of ints", "counts", list, "7", 7, 7],
  ["an array of date-times", "seen", list, instant, instant, instant],
  ["an object", "address", ["exists"], "a", "a", "a"],
  ["an array of objects", "lines", ["exists"], "a", "a", "a"],
  ["a record", "extra", ["exists"], "a", "a", "a"],
];

function expected(key: string, operator: string, stored: Scalar, isArray: boolean): Filter {
  const equal = isArray ? holds(key, stored) : eq(key, stored);
  const different = isArray ? not(equal) : ne(key, stored);
  const order = { gt, gte, lt, lte };
  switch (operator) {
    case "eq":
    case "in":
    case "all":
      return equal;
    case "ne":
    case "nin":
      return different;
    case "like":
      return like(key, any, String(stored), any);
    case "exists":
      return has(key);
    default:
      return order[operator as keyof typeof order](key, stored);
  }
}

describe.each(types)("%s", (_kind, key, allowed, raw, json, stored) => {
  const isArray = allowed === list;
  const refused = { code: "OPERATOR_NOT_ALLOWED", status: 400, errors: [{ allowed }] };

  test.each(operators)("%s in a query string", (operator) => {
    const query = `${key}[${operator}]=${operator === "exists" ? "true" : raw}`;
    if (allowed.includes(operator)) expect(parse(query).filter).toEqual(expected(key, operator, stored, isArray));
    else {
      expect(refusal(query)).toMatchObject(refused);
      expect(refusal(query).message).toBe(`"${operator}" is not allowed on "${key}". Allowed: ${allowed.join(", ")}.`);
      expect(refusal(query).errors[0]?.parameter).toBe(`${key}[${operator}]`);
    }
  });

  test.each(operators)("%s in a body", (operator) => {
    const isList = operator === "in" || operator === "nin" || operator === "all";
    const value = operator === "exists" ? true : isList ? [json] : json;
    const filter = { [key]: { [operator]: value } };
    if (allowed.includes(operator)) expect(where(filter)).toEqual(expected(key, operator, stored, isArray));
    else {
      expect(problemFrom(() => where(filter))).toMatchObject(refused);
      expect(problemFrom(() => where(filter)).errors[0]?.pointer).toBe(`/filter/${key}/${operator}`);
    }
  });
});

test("`tags=a,b` is any, `tags!=a,b` none, `tags[all]=a,b` all", () => {
  expect(parse("tags=a,b").filter).toEqual(or(holds("tags", "a"), holds("tags", "b")));
  expect(parse("tags!=a,b").filter).toEqual(not(or(holds("tags", "a"), holds("tags", "b"))));
  expect(parse("tags[all]=a,b").filter).toEqual(and(holds("tags", "a"), holds("tags", "b")));
  expect(where({ tags: ["a", "b"] })).toEqual(or(holds("tags", "a"), holds("tags", "b")));
  expect(where({ tags: { all: ["a", "b"] } })).toEqual(and(holds("tags", "a"), holds("tags", "b")));
});

describe("a definition may only narrow", () => {
  const table = tableOf({ filter: { id: true, total: ["gte", "lte"], address: ["eq"], tags: [] }, ranges: undefined });

  test.each([
    ["total[gte]=1", gte("total", 1)],
    ["total__lte=1", lte("total", 1)],
    ["address.city=a,b", oneOf("address.city", "a", "b")],
    ["id[lt]=3", lt("id", 3)],
  ])("%s is left", (query, filter) => {
    expect(parse(query, { table }).filter).toEqual(filter);
  });

  test.each([
    ["total=1", "eq", "total", ["gte", "lte"]],
    ["total!=1", "ne", "total", ["gte", "lte"]],
    ["total=*", "exists", "total", ["gte", "lte"]],
    ["total[gt]=1", "gt", "total", ["gte", "lte"]],
    ["address.city[like]=a", "like", "address.city", ["eq"]],
    ["tags=a", "eq", "tags", []],
    ["name=a", "eq", "name", []],
    ["name[]=a", "eq", "name", []],
    ["name[like]=a", "like", "name", []],
  ])("%s is not", (query, operator, key, allowed) => {
    const { code, message, errors } = refusal(query, { table });
    expect([code, errors[0]?.allowed]).toEqual(["OPERATOR_NOT_ALLOWED", allowed]);
    expect(message).toMatch(`"${operator}" is not allowed on "${key}". ${allowed.length === 0 ? "It cannot be filtered by." : "Allowed: "}`);
  });

  test.each([
    [{ filter: { total: ["like"] } }, /"filter" allows "like" on "total", whose type has: eq, ne/],
    [{ filter: { total: ["foo"] } }, /"filter" allows "foo" on "total"/],
    [{ filter: { totl: true } }, /"filter" names "totl"; the schema has: id, name/],
    [{ filter: ["totl"] }, /"filter" names "totl"/],
    [{ sort: ["totl"] }, /"sort" names "totl"/],
    [{ param: { totl: "x" } }, /"param" names "totl"/],
    [{ search: ["total"] }, /"search" names "total", which is not a text field/],
    [{ search: ["secret"] }, /"search" names "secret"/],
    [{ search: ["tags"] }, /"search" names "tags"/],
    [{ id: "key2" }, /there is no id field "key2"/],
  ])("%j refuses to start", (changes, message) => {
    expect(() => tableOf(changes as Parameters<typeof tableOf>[0])).toThrow(message);
  });
});

describe("ranges", () => {
  const names = (changes: Parameters<typeof tableOf>[0]) =>
    [...tableOf(changes).keys.keys()].filter((name) => /^(min|max)[A-Z]|(From|To)$/.test(name));

  test("are derived of numbers and dates, where nothing else has the name", () => {
    expect(names({ ranges: true })).toEqual([
      ..."id total quantity big".split(" ").flatMap((name) => ["min", "max"].map((end) => `${end}${name.charAt(0).toUpperCase()}${name.slice(1)}`)),
      ...["dayFrom", "dayTo", "createdFrom", "createdTo"],
    ]);
    expect(names({ ranges: undefined })).toEqual([]);
  });

  test.each([
    [{ fewTotal: "total" }, /must begin with min or max, or end with From or To/],
    [{ minTotal: "totl" }, /names "totl"/],
    [{ minName: "status" }, /"status", which cannot be filtered by "gte"/],
    [{ mint: "total" }, /must begin with/],
  ])("%j refuses to start", (ranges, message) => {
    expect(() => tableOf({ ranges })).toThrow(message);
  });
});
