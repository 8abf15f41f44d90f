import type { FieldModel } from "../../../language/schema/field.js";
import type { JsonSchema } from "../../operation/description.js";
import { orNull } from "./object.js";

/**
 * The schema of a member of a merge patch: null removes a value, and an object changes only the members that it names.
 *
 * @see RFC 7396
 */
export function patchSchema(
  { default: _, ...schema }: JsonSchema,
  field: Pick<FieldModel, "optional" | "hasDefault" | "nullable" | "kind">,
): JsonSchema {
  // A type that refers to itself has a name; its members are not described once more.
  const partial = field.kind === "object" && "$ref" in schema ? { anyOf: [schema, { type: "object" }] } : partialObject(schema);
  const takesNull = (field.optional || field.hasDefault) && !field.nullable;
  return takesNull ? orNull(partial) : partial;
}

function partialObject(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, properties, required: _, ...rest } = schema;
  // A part may be one of several members of a union.
  const members = anyOf ?? oneOf;
  if (Array.isArray(members)) return { ...rest, anyOf: members.map((each: JsonSchema) => partialObject(each)) };
  if (![schema["type"]].flat().includes("object")) return schema;
  // The zod type decides whether a member may be missing; what is left is validated as a whole.
  const change = (member: JsonSchema) => orNull(partialObject(member));
  const named = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([name, member]) => [name, change(member)] as const);
  const others = rest["additionalProperties"];
  return {
    ...rest,
    ...(properties !== undefined && { properties: Object.fromEntries(named) }),
    ...(typeof others === "object" && { additionalProperties: change(others as JsonSchema) }),
  };
}
