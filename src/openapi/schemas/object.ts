import type { JsonSchema } from "../../operation/description.js";

export const text: JsonSchema = { type: "string" };
export const nullableText: JsonSchema = { type: ["string", "null"] };
export const instant: JsonSchema = { type: "string", format: "date-time" };
export const nullableInstant: JsonSchema = { anyOf: [instant, { type: "null" }] };
export const whole: JsonSchema = { type: "integer", minimum: 0 };
export const link: JsonSchema = { type: "string", format: "uri-reference" };

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
