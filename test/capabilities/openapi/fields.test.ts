import { decimal } from "restwright/values";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Components } from "../../../src/engine/description/components.js";
import { fieldSchema } from "../../../src/engine/description/schemas/fieldSchema.js";
import { introspect } from "../../../src/language/schema/introspect.js";
import { types } from "./agreement/types.js";

const tree: z.ZodType = z.object({
  name: z.string(),
  get children() {
    return z.array(tree).optional();
  },
});

const text = { type: "string" };
const instant = { type: "string", format: "date-time" };
const sentInstant = { ...instant, pattern: expect.stringContaining("[Tt]") };

describe("the JSON Schema of a field", () => {
  test.each<[string, z.ZodType, object, object]>([
    ["a text with bounds", z.string().min(1).max(5), { ...text, minLength: 1, maxLength: 5 }, { ...text, minLength: 1, maxLength: 5 }],
    [
      "a format, with zod's pattern in bodies",
      z.email(),
      { ...text, format: "email", pattern: z.regexes.email.source },
      { ...text, format: "email" },
    ],
    ["a format that JSON Schema has too", z.ipv4(), { ...text, format: "ipv4" }, { ...text, format: "ipv4" }],
    [
      "a format and a pattern",
      z.e164().regex(/^\+49/),
      { ...text, allOf: [{ pattern: z.regexes.e164.source }, { pattern: "^\\+49" }] },
      { ...text, pattern: "^\\+49" },
    ],
    ["a refinement, which is no format", z.string().endsWith("x"), { ...text, pattern: ".*x$" }, { ...text, pattern: ".*x$" }],
    ["a URL of any alphabet", z.url(), { ...text, format: "iri", pattern: expect.stringContaining(":") }, { ...text, format: "iri" }],
    ["a duration with fractions", z.iso.duration(), { ...text, pattern: z.regexes.duration.source }, text],
    ["a pattern", z.string().regex(/^x/), { ...text, pattern: "^x" }, { ...text, pattern: "^x" }],
    ["a pattern with flags", z.string().regex(/^a+$/i), { ...text, pattern: "^[aA]+$" }, { ...text, pattern: "^[aA]+$" }],
    ["bounds before a change", z.string().min(2).max(5).trim(), { ...text, minLength: 2, maxLength: 5 }, { ...text, minLength: 2, maxLength: 5 }],
    [
      "bounds after a change that shortens",
      z.string().max(9).trim().min(2).max(5),
      { ...text, minLength: 2, maxLength: 9 },
      { ...text, maxLength: 5 },
    ],
    [
      "bounds after a change that lengthens",
      z
        .string()
        .overwrite((value) => value.padStart(5, "0"))
        .length(5),
      { ...text, maxLength: 5 },
      { ...text, minLength: 5, maxLength: 5 },
    ],
    ["a pattern after a change of case", z.string().toLowerCase().regex(/^x/), { ...text, pattern: "^[xX]" }, { ...text, pattern: "^x" }],
    ["a pattern after another change", z.string().trim().regex(/^x/), text, { ...text, pattern: "^x" }],
    ["a pipe without a transform", z.string().min(3).pipe(z.e164()), { ...text, minLength: 3, pattern: z.regexes.e164.source }, text],
    [
      "two patterns",
      z.string().regex(/a/).regex(/b/),
      { ...text, allOf: [{ pattern: "a" }, { pattern: "b" }] },
      { ...text, allOf: [{ pattern: "a" }, { pattern: "b" }] },
    ],
    ["a date", z.date(), sentInstant, instant],
    [
      "a bigint",
      z.bigint(),
      { ...text, pattern: "^-?(0|[1-9][0-9]*)$", not: { pattern: expect.any(String) } },
      { ...text, pattern: "^-?(0|[1-9][0-9]*)$" },
    ],
    ["a literal bigint", z.literal(5n), { enum: ["5"] }, { enum: ["5"] }],
    ["literal bigints and null", z.literal([5n, 6n, null]), { enum: ["5", "6", null] }, { enum: ["5", "6", null] }],
    ["an integer", z.int().min(0), { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, { type: "integer", minimum: 0 }],
    ["a step of a number", z.number().multipleOf(0.05), { type: "number", description: "A multiple of 0.05." }, { type: "number" }],
    ["a whole step", z.number().multipleOf(5), { type: "number", multipleOf: 5 }, { type: "number" }],
    [
      "a record by enum",
      z.record(z.enum(["a", "b"]), z.boolean()),
      { type: "object", properties: { a: { type: "boolean" }, b: { type: "boolean" } }, required: ["a", "b"], additionalProperties: false },
      { type: "object", properties: { a: { type: "boolean" }, b: { type: "boolean" } }, required: ["a", "b"] },
    ],
    ["a constant default", z.number().default(3), { type: "number", default: 3 }, { type: "number" }],
    ["a default that is the time", z.number().default(() => performance.now()), { type: "number" }, { type: "number" }],
    ["a transform", z.string().transform((value) => value.length), text, text],
    [
      "null",
      z.uuid().nullable(),
      { type: ["string", "null"], format: "uuid", pattern: z.regexes.uuid().source },
      { type: ["string", "null"], format: "uuid" },
    ],
    [
      "null beside values of an enumeration",
      z.enum(["a", "b"]).nullable().describe("d"),
      { type: ["string", "null"], enum: ["a", "b", null], description: "d" },
      { type: ["string", "null"], enum: ["a", "b", null], description: "d" },
    ],
    [
      "null beside a choice",
      z.union([z.string(), z.boolean()]).nullable(),
      { type: ["string", "boolean", "null"] },
      { type: ["string", "boolean", "null"] },
    ],
    ["null twice", z.string().nullable().nullable(), { type: ["string", "null"] }, { type: ["string", "null"] }],
    [
      "what meta says, below optional",
      z
        .string()
        .meta({ description: "d", examples: ["x"] })
        .optional(),
      { ...text, description: "d", examples: ["x"] },
      { ...text, description: "d", examples: ["x"] },
    ],
    [
      "an object",
      z.object({ at: z.date() }),
      { type: "object", properties: { at: sentInstant }, required: ["at"], additionalProperties: false },
      { type: "object", properties: { at: instant }, required: ["at"] },
    ],
    ["a decimal", decimal({ precision: 5, scale: 2 }), { ...text, pattern: "^-?(?:0|[1-9]\\d{0,2})(?:\\.\\d{1,2})?$" }, text],
  ])("%s", (_, type, input, output) => {
    const field = introspect("field", type);
    expect(fieldSchema(field, "input", new Components(), "F")).toEqual(input);
    expect(fieldSchema(field, "output", new Components(), "F")).toMatchObject(output);
  });

  test("names no format that JSON Schema does not have", () => {
    const known = ["date-time", "date", "time", "email", "idn-email", "hostname", "ipv4", "ipv6", "iri", "uuid"];
    const formatsIn = (value: unknown): readonly unknown[] => {
      if (typeof value !== "object" || value === null) return [];
      return Object.entries(value).flatMap(([key, member]) => (key === "format" ? [member] : formatsIn(member)));
    };
    const schemas = Object.values(types).flatMap((type) =>
      (["input", "output"] as const).map((side) => fieldSchema(introspect("field", type), side, new Components(), "F")),
    );
    expect([...new Set(formatsIn(schemas))].filter((format) => !known.includes(format as string))).toEqual([]);
  });

  test("of a type that contains itself is a component", () => {
    const components = new Components();
    const schema = fieldSchema(introspect("field", tree), "output", components, "Tree");
    expect(schema).toEqual({ $ref: "#/components/schemas/Tree" });
    expect(JSON.stringify(components)).toContain('"items":{"$ref":"#/components/schemas/Tree"}');
  });

  test("keeps properties called id and $ref in types that are components", () => {
    const components = new Components();
    const node: z.ZodType = z.lazy(() => z.object({ id: z.string(), $ref: z.string(), children: z.array(node) }));
    fieldSchema(introspect("field", node), "output", components, "Node");
    fieldSchema(introspect("field", z.object({ id: z.int() }).meta({ id: "Named", examples: [{ id: 7 }] })), "output", components, "N");
    expect(components.toJSON()).toMatchObject({
      schemas: {
        Node: {
          properties: { id: text, $ref: text, children: { items: { $ref: "#/components/schemas/Node" } } },
          required: ["id", "$ref", "children"],
        },
        Named: { properties: { id: { type: "integer" } }, examples: [{ id: 7 }] },
      },
    });
  });

  test("with a name of its own has another name in bodies if these differ, and so have the types beside it", () => {
    const components = new Components();
    const money = z.string().meta({ id: "Money" });
    const address = z.object({ city: z.string(), rent: money }).meta({ id: "Address" });
    const addresses = z.array(address).meta({ id: "Addresses" });
    const field = introspect("field", addresses);
    expect(fieldSchema(field, "input", components, "F")).toEqual({ $ref: "#/components/schemas/AddressesInput" });
    expect(fieldSchema(field, "output", components, "F")).toEqual({ $ref: "#/components/schemas/Addresses" });
    expect(components.toJSON()).toMatchObject({
      schemas: {
        Money: text,
        Address: { properties: { rent: { $ref: "#/components/schemas/Money" } } },
        AddressInput: { additionalProperties: false, properties: { rent: { $ref: "#/components/schemas/MoneyInput" } } },
        MoneyInput: text,
        Addresses: { items: { $ref: "#/components/schemas/Address" } },
        AddressesInput: { items: { $ref: "#/components/schemas/AddressInput" } },
      },
    });
  });

  test("with a name of its own is a component of that name, and two different ones cannot have it", () => {
    const components = new Components();
    const named = (type: z.ZodType) => z.object({ a: type.meta({ id: "Money" }), b: z.string() });
    fieldSchema(introspect("field", named(z.number())), "output", components, "A");
    expect(components.toJSON()).toHaveProperty(["schemas", "Money"], { type: "number" });
    fieldSchema(introspect("field", named(z.string())), "output", components, "B");
    fieldSchema(introspect("field", z.int().meta({ id: "Count" })), "output", components, "C");
    fieldSchema(introspect("field", z.string().meta({ id: "Count" })), "output", components, "D");
    expect(() => components.complete()).toThrow('openapi: two different schemas are called "Money", "Count"; give one of them another name.');
  });
});
