import { closest } from "../../problem/closest.js";
import { ConfigurationError } from "../../problem/index.js";
import type { Resource, ResourceField, Validation } from "../resource.js";
import { removedField } from "./patchedValues.js";
import { toRowValue } from "./rowValues.js";

/**
 * Validates fields that the developer's code sets, one by one. Fields that clients cannot write are allowed; the id is not. `null` and `undefined` clear a field.
 *
 * @param place what returned them, for messages: `orders: the action "cancel"`
 * @returns the values as rows hold them
 * @throws {ConfigurationError} for a value that is not an object, an unknown field, the id, and a value that the schema refuses
 */
export async function serverValues({ fields, id }: Resource, place: string, given: unknown): Promise<Record<string, unknown>> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new ConfigurationError(`${place} must return an object with fields to set, or nothing.`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = fields.get(name);
    if (field === undefined) throw new ConfigurationError(`${place} returned "${name}", which is not a field of the schema.${hint(name, fields)}`);
    if (field === id) throw new ConfigurationError(`${place} returned "${name}"; the id of a row cannot be changed.`);
    const validated = validatedValue(field, value);
    const validation = validated instanceof Promise ? await validated : validated;
    if (!validation.ok) {
      const why = validation.items.map(({ detail }) => detail).join(" ");
      throw new ConfigurationError(`${place} returned a value for "${name}" that the schema refuses: ${why}`);
    }
    values[name] = validation.value === undefined ? null : toRowValue(field, validation.value);
  }
  return values;
}

/** `null` and `undefined` clear a field that may be missing. */
function validatedValue(field: ResourceField, value: unknown): Validation | Promise<Validation> {
  return value === undefined || value === null ? removedField(field) : field.validate(value, [field.name]);
}

function hint(name: string, fields: Resource["fields"]): string {
  const near = closest(name, fields.keys());
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}
