import { readFileSync } from "node:fs";
import { defineQuery } from "restwright/query";
import { bytes, date, decimal } from "restwright/values";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operatorsOf } from "../../../src/language/query/conditions/operator.js";
import { introspect } from "../../../src/language/schema/introspect.js";
import { problemFrom } from "./language.js";

const page = readFileSync(new URL("../../../docs/query.md", import.meta.url), "utf8");

/** The collection of the page. */
const schema = z.object({
  id: z.int(),
  status: z.enum(["open", "paid", "void"]),
  customerId: z.int(),
  total: z.number(),
  express: z.boolean(),
  createdAt: z.date(),
  email: z.email(),
  note: z.string().nullable(),
  tags: z.array(z.string()),
  address: z.object({ city: z.string(), zip: z.string() }),
});
const orders = defineQuery(schema, { search: ["note", "address.city"], ranges: true });

/** Rows of the table below a heading, as the texts of their cells. */
function rowsBelow(heading: string): string[][] {
  const [, section = ""] = page.split(`\n${heading}\n`);
  const [table = ""] = section.match(/(?:^\|.*\n)+/m) ?? [];
  return table
    .split("\n")
    .slice(2, -1)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const codeIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);

describe("docs/query.md", () => {
  test("shows the schema that its examples are about", () => {
    const shown = page.match(/z\.object\(\{\n([\s\S]*?)\n\}\);/)?.[1] ?? "";
    expect(shown.split("\n").map((line) => line.trim().split(":")[0])).toEqual(Object.keys(schema.shape));
  });

  test.each(rowsBelow("## Filters").flatMap(([request = ""]) => codeIn(request)))("has a filter that is one: %s", (query) => {
    expect(orders.parse(query).filter).toBeDefined();
  });

  test.each(rowsBelow("### Styles").map(([name = "", spellings = ""]) => [name, codeIn(spellings)] as const))(
    "has styles that mean the same: %s",
    (name, queries) => {
      expect(queries.length).toBeGreaterThan(1);
      const filters = queries.map((query) => orders.parse(query).filter);
      const isNegated = (query: string) => query.includes("ne");
      for (const [index, filter] of filters.entries()) {
        const alike = queries.findIndex((query) => name !== "members" || isNegated(query) === isNegated(queries[index] ?? ""));
        expect(filter).toEqual(filters[alike]);
      }
    },
  );

  const money = decimal({ precision: 10, scale: 2 });
  const types: Readonly<Record<string, readonly z.ZodType[]>> = {
    text: [z.string(), z.email()],
    "number, integer, bigint, decimal, date, date-time": [z.number(), z.int(), z.bigint(), money, date(), z.iso.date(), z.date(), z.iso.datetime()],
    "enumeration, literal, UUID, boolean, union of scalars, bigint or decimal inside an object": [
      z.enum(["a"]),
      z.literal(1),
      z.uuid(),
      z.boolean(),
      z.union([z.int(), z.string()]),
    ],
    "array of scalars": [z.array(z.string()), z.array(z.union([z.int(), z.string()]))],
    "object, record, array of objects, bytes": [z.object({}), z.record(z.string(), z.int()), z.array(z.object({})), bytes()],
  };
  test.each(rowsBelow("### Operators").map(([type = "", names = ""]) => [type, codeIn(names)] as const))(
    "lists the operators of %s",
    (type, names) => {
      for (const each of types[type] ?? []) expect(new Set(operatorsOf(introspect("x", each), ["x"]))).toEqual(new Set(names));
      expect(Object.keys(types)).toContain(type);
    },
  );

  test.each(rowsBelow("## Errors").map(([request = "", answer = ""]) => [codeIn(request)[0] ?? "", answer] as const))(
    "tells how %s is answered",
    (query, answer) => {
      const problem = problemFrom(() => orders.parse(query));
      expect(answer).toContain(`${problem.status} [${problem.code}](problems.md#${problem.code.toLowerCase()}) \`${problem.message}\``);
    },
  );

  test("shows a body that is a search", () => {
    const [, json = ""] = page.match(/```json\n([\s\S]*?)```/) ?? [];
    const { collection, ...body } = JSON.parse(json) as Record<string, unknown>;
    expect(collection).toBe("orders");
    expect(orders.search(body)).toMatchObject({ perPage: 50, filter: { op: "and", args: [{}, {}, { op: "or" }] } });
  });
});
