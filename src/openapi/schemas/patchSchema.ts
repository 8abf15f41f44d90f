import type { JsonSchema } from "../../operation/description.js";
import type { FieldModel } from "../../schema/field.js";

/**
 * The schema of a member of a merge patch: null removes a value, and an object changes only the members that it names.
 *
 * @see RFC 7396
 */
export function patchSchema(
  { default: _, ...schema }: JsonSchema,
  field: Pick<FieldModel, "optional" | "hasDefault" | "nullable" | "kind">,
): JsonSchema {
  const partial = field.kind === "object" ? partialObject(schema) : schema;
  const takesNull = (field.optional || field.hasDefault) && !field.nullable;
  return takesNull ? { anyOf: [partial, { type: "null" }] } : partial;
}

function partialObject(schema: JsonSchema): JsonSchema {
  const { anyOf, properties, required: _, ...rest } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map((each: JsonSchema) => partialObject(each)) };
  if (typeof properties !== "object" || properties === null) return schema;
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, member]) => [name, removable(partialObject(member))] as const,
  );
  return { ...rest, properties: Object.fromEntries(members) };
}

/** The zod type decides whether the member may be missing; what is left is validated as a whole. */
function removable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0 || (Array.isArray(schema["anyOf"]) && schema["anyOf"].some((each: JsonSchema) => each["type"] === "null")))
    return schema;
  return { anyOf: [schema, { type: "null" }] };
}
