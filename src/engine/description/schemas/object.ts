import type { JsonSchema } from "../../operation/description.js";

/** Words that a null would have to satisfy too. */
const inParts = ["$ref", "const", "allOf", "anyOf", "oneOf", "not"];

export const text: JsonSchema = { type: "string" };
export const nullableText: JsonSchema = { type: ["string", "null"] };
export const instant: JsonSchema = { type: "string", format: "date-time" };
export const nullableInstant: JsonSchema = orNull(instant);
export const whole: JsonSchema = { type: "integer", minimum: 0 };
export const link: JsonSchema = { type: "string", format: "uri-reference" };

/** A value that may also be null: by its types where it can be, which generators understand better than a choice. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, ...rest } = schema;
  if (Object.keys(schema).length === 0 || isNullable(schema)) return schema;
  if (typeof type !== "string" || inParts.some((word) => word in schema)) return { anyOf: [schema, { type: "null" }] };
  return { type: [type, "null"], ...(Array.isArray(values) && { enum: [...values, null] }), ...rest };
}

function isNullable({ type, anyOf }: JsonSchema): boolean {
  if (Array.isArray(type)) return type.includes("null");
  return type === "null" || (Array.isArray(anyOf) && anyOf.some((each: JsonSchema) => isNullable(each)));
}

/** An answered object: its members, and those that it may lack. More members may come with later versions. */
export function answered(members: Readonly<Record<string, unknown>>, optional: Readonly<Record<string, unknown>> = {}): JsonSchema {
  const required = Object.keys(members);
  return { type: "object", ...(required.length > 0 && { required }), properties: { ...members, ...optional } };
}

/** An object that clients send: other members are refused. */
export function sent(members: Readonly<Record<string, unknown>>, optional: Readonly<Record<string, unknown>> = {}): JsonSchema {
  return { ...answered(members, optional), additionalProperties: false };
}

/** An array with at least one item. */
export function listOf(items: JsonSchema): JsonSchema {
  return { ...arrayOf(items), minItems: 1 };
}

export function arrayOf(items: object): JsonSchema {
  return { type: "array", items };
}
