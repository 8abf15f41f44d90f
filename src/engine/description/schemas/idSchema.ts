import type { JsonSchema } from "../../operation/description.js";
import type { LinkedResource } from "../../resource/relations/link.js";
import { kindSchema } from "./kindSchema.js";

/** The id of a row in a path. A composite id is a list of its parts. */
export function idSchema({ idNames, fields }: LinkedResource["resource"]): JsonSchema {
  const parts = idNames.flatMap((part) => fields.get(part) ?? []).map((field) => kindSchema({ ...field, nullable: false }));
  if (parts.length < 2) return parts[0] ?? { type: "string" };
  return {
    type: "array",
    prefixItems: parts,
    minItems: parts.length,
    maxItems: parts.length,
    description: `The parts of the id: ${idNames.join(", ")}.`,
  };
}

/** The id of a row in a body. A composite id is a text. */
export function bodyIdSchema(resource: LinkedResource["resource"]): JsonSchema {
  const { idNames } = resource;
  return idNames.length < 2 ? idSchema(resource) : { type: "string", description: `The parts of the id, joined by commas: ${idNames.join(", ")}.` };
}
