// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { QueryTableOptions } from "../../../src/language/query/table.js";
import type { FieldAccess } from "../../../src/language/schema/access.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { queries, searches } from "./arbitraryQuery.js";
import { admin, parse, refusal, search, tableOf } from "./language.js";
import { outcomeOf } from "./outcome.js";

/** Two names that are equally far from every other: one is a field that hides, the other is nothing. */
const hidden = "zqxjkwv1";
const absent = "zqxjkwv2";
const isAdmin = ({ id }: { readonly id: string }) => id === "admin";

const rules: Readonly<Record<string, FieldAccess>> = {
  "write-only": { read: false },
  "hidden by a rule": { read: isAdmin, onForbidden: "hide" },
  "hidden by a rule for each use": { read: isAdmin, filter: isAdmin, sort: isAdmin, onForbidden: "hide" },
};
const kinds: Readonly<Record<string, z.ZodType>> = {
  text: z.string(),
  number: z.number(),
  enum: z.enum(["open", "x"]),
  list: z.array(z.string()),
  object: z.object({ x: z.string(), gte: z.number() }),
};
const shape = { id: z.int(), name: z.string(), total: z.number(), tags: z.array(z.string()), address: z.object({ city: z.string(), x: z.date() }) };
const names = [
  "id",
  "name",
  "total",
  "tags",
  "tag",
  "address",
  "address.city",
  "address_city",
  "minTotal",
  "maxTotal",
  hidden,
  hidden,
  `min${hidden}`,
];
const settings = { ignores: (name: string) => name.startsWith("utm_") || name === `${hidden}[lt]` || name === `${absent}[lt]` };

describe.each(Object.entries(rules))("a field that is %s", (_rule, rule) => {
  test.each(Object.entries(kinds))("answers every query as one that does not exist: %s", (_kind, kind) => {
    const access = { [hidden]: rule };
    const table = tableOf({ ranges: true, search: ["name"] }, z.object({ ...shape, [hidden]: kind }), access);
    const without = tableOf({ ranges: true, search: ["name"] }, z.object(shape));
    const renamed = (text: string) => text.replaceAll(hidden, absent).replaceAll(hidden.toUpperCase(), absent.toUpperCase());

    fc.assert(
      fc.property(queries(names), (query) => {
        const outcome = outcomeOf(() => parse(query, { table, settings }));
        expect(renamed(outcome)).toBe(outcomeOf(() => parse(renamed(query), { table, settings })));
        expect(outcome).toBe(outcomeOf(() => parse(query, { table: without, settings })));
      }),
      { numRuns: propertyRuns(300), seed: 1 },
    );
    fc.assert(
      fc.property(searches(names), (body) => {
        const outcome = outcomeOf(() => search(body, { table }));
        expect(renamed(outcome)).toBe(outcomeOf(() => search(JSON.parse(renamed(JSON.stringify(body))), { table })));
        expect(outcome).toBe(outcomeOf(() => search(body, { table: without })));
      }),
      { numRuns: propertyRuns(300), seed: 2 },
    );
  });
});

describe("fields whose names would take away another's", () => {
  const visible = { ...shape, a: z.object({ b_c: z.string() }), "a-list": z.array(z.int()) };
  const shy = {
    tag: z.int(),
    address_city: z.number(),
    minTotal: z.number(),
    total__gte: z.string(),
    "name[like]": z.string(),
    a_b: z.object({ c: z.int() }),
    addresss: z.array(z.string()),
  };
  const options: Partial<QueryTableOptions> = { ranges: true, search: ["name"] };
  const access = Object.fromEntries(Object.keys(shy).map((name) => [name, rules["hidden by a rule"]])) as Record<string, FieldAccess>;
  const table = tableOf(options, z.object({ ...shy, ...visible }), access);
  const without = tableOf(options, z.object(visible));
  const all = [...table.fields.keys(), "a_b_c", "address_city", "tag[all]", "maxTotal", "total", "name"];

  test("leave it to those from whom they are hidden", () => {
    for (const query of [
      "tag=a",
      "tag[all]=a,b",
      "address_city=x",
      "address_city[like]=x",
      "minTotal=5",
      "total__gte=5",
      "name[like]=x",
      "a_b_c=x",
      "a_b_c!=x",
    ]) {
      expect(outcomeOf(() => parse(query, { table }))).toBe(outcomeOf(() => parse(query, { table: without })));
      expect(
        outcomeOf(() => parse(query, { table })),
        query,
      ).toContain('"filter":{"op"');
    }
  });

  test("keep it for those who see them", () => {
    expect(parse("tag=5", { table, gate: admin }).filter).toEqual({ op: "eq", path: ["tag"], value: 5 });
    expect(refusal("tag[all]=a", { table, gate: admin })).toMatchObject({ code: "OPERATOR_NOT_ALLOWED" });
    expect(parse("address_city=5", { table, gate: admin }).filter).toEqual({ op: "eq", path: ["address_city"], value: 5 });
    expect(refusal("address_city[like]=x", { table, gate: admin })).toMatchObject({ code: "OPERATOR_NOT_ALLOWED" });
    expect(parse("minTotal=5", { table, gate: admin }).filter).toEqual({ op: "eq", path: ["minTotal"], value: 5 });
    expect(parse("total__gte=5", { table, gate: admin }).filter).toEqual({ op: "eq", path: ["total__gte"], value: "5" });
    expect(parse("name[like]=x", { table, gate: admin }).filter).toEqual({ op: "eq", path: ["name[like]"], value: "x" });
    expect(refusal("a_b_c=x", { table, gate: admin })).toMatchObject({ code: "UNKNOWN_FIELD" });
  });

  test("answer every query as fields that do not exist", () => {
    fc.assert(
      fc.property(queries(all), (query) => {
        expect(outcomeOf(() => parse(query, { table }))).toBe(outcomeOf(() => parse(query, { table: without })));
      }),
      { numRuns: propertyRuns(3_000), seed: 3 },
    );
    fc.assert(
      fc.property(searches(all), (body) => {
        expect(outcomeOf(() => search(body, { table }))).toBe(outcomeOf(() => search(body, { table: without })));
      }),
      { numRuns: propertyRuns(1_000), seed: 4 },
    );
  });
});
