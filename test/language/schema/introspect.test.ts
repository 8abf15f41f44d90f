import { describe, expect, test } from "vitest";
import { z } from "zod";
import { columnKind } from "../../../src/language/schema/field.js";
import { introspect } from "../../../src/language/schema/introspect.js";

const kinds: [string, z.ZodType, kind: string, column: string][] = [
  ["z.string()", z.string(), "text", "text"],
  ["z.email()", z.email(), "text", "text"],
  ["z.uuid()", z.uuid(), "uuid", "text"],
  ["z.string().uuid()", z.string().uuid(), "uuid", "text"],
  ["z.iso.date()", z.iso.date(), "date", "text"],
  ["z.iso.datetime()", z.iso.datetime(), "datetime", "datetime"],
  ["z.string().datetime()", z.string().datetime(), "datetime", "datetime"],
  ["z.date()", z.date(), "datetime", "datetime"],
  ["z.int()", z.int(), "int", "int"],
  ["z.int32()", z.int32(), "int", "int"],
  ["z.number().int()", z.number().int(), "int", "int"],
  ["z.number()", z.number(), "number", "number"],
  ["z.number().min(1)", z.number().min(1), "number", "number"],
  ["z.bigint()", z.bigint(), "bigint", "bigint"],
  ["z.boolean()", z.boolean(), "boolean", "boolean"],
  ["z.enum()", z.enum(["a", "b"]), "enum", "text"],
  ["z.literal(1)", z.literal(1), "enum", "int"],
  ["z.literal(5n)", z.literal(5n), "bigint", "bigint"],
  ["z.literal(true)", z.literal(true), "enum", "boolean"],
  ["z.literal of two types", z.literal(["a", 1]), "enum", "json"],
  ["z.array()", z.array(z.string()), "array", "json"],
  ["z.object()", z.object({ a: z.string() }), "object", "json"],
  ["z.record()", z.record(z.string(), z.number()), "record", "json"],
  ["z.union()", z.union([z.string(), z.number()]), "union", "json"],
  ["z.any()", z.any(), "unknown", "json"],
  ["a transform", z.string().transform((text) => text.length), "text", "text"],
  ["z.preprocess()", z.preprocess((value) => value, z.boolean()), "boolean", "boolean"],
  ["z.lazy()", z.lazy(() => z.int()), "int", "int"],
];

test.each(kinds)("%s is a field of its kind and column", (_, schema, kind, column) => {
  const field = introspect("field", schema);
  expect([field.kind, columnKind(field)]).toEqual([kind, column]);
});

const wrapped: [string, z.ZodType, Partial<ReturnType<typeof introspect>>][] = [
  ["optional", z.int().optional(), { optional: true, nullable: false, hasDefault: false }],
  ["nullable", z.int().nullable(), { optional: false, nullable: true, hasDefault: false }],
  ["nullish", z.int().nullish(), { optional: true, nullable: true }],
  ["default", z.int().default(1), { hasDefault: true }],
  ["prefault", z.int().prefault(1), { hasDefault: true }],
  ["catch", z.int().catch(1), { hasDefault: true }],
  ["readonly", z.int().readonly(), { kind: "int" }],
  ["nullable with a default", z.int().nullable().default(null), { nullable: true, hasDefault: true, kind: "int" }],
];

test.each(wrapped)("%s is looked through", (_, schema, expected) => {
  expect(introspect("field", schema)).toMatchObject(expected);
});

describe("inside a field", () => {
  test("the members of an object and the elements of an array are known", () => {
    const field = introspect("address", z.object({ city: z.string().optional(), lines: z.array(z.int()) }));
    expect(field.children?.get("city")).toMatchObject({ kind: "text", optional: true });
    expect(field.children?.get("lines")?.element?.kind).toBe("int");
  });

  test("an object is open only where it lets other members through", () => {
    const open = [z.object({}), z.strictObject({}), z.looseObject({}), z.object({}).catchall(z.int())].map((schema) => introspect("f", schema).open);
    expect(open).toEqual([false, false, true, true]);
  });

  test("an e-mail format is found on the type and among its checks", () => {
    expect([z.email(), z.string().email(), z.string().max(5)].map((schema) => introspect("f", schema).format)).toEqual(["email", "email", undefined]);
  });

  test("the names of a numeric enum are not its values", () => {
    const Level = { Low: 1, High: 2, 1: "Low", 2: "High" } as const;
    expect(introspect("f", z.enum(Level)).values).toEqual([1, 2]);
  });

  test("a recursive schema ends", () => {
    const node: z.ZodType = z.lazy(() => z.object({ child: node.optional() }));
    expect(introspect("f", node).kind).toBe("object");
  });
});
