import { closest } from "../problem/closest.js";
import { ConfigurationError } from "../problem/index.js";
import type { Resource, ResourceField, Validation } from "../resource/resource.js";
import { removedField } from "../resource/write/patchedValues.js";
import { toRowValue } from "../resource/write/rowValues.js";

/**
 * The columns that a hook sets in a row, from what it returned; `undefined` if it returned nothing. Fields that only the server sets are allowed.
 *
 * @param hook name of the hook, for messages
 * @throws {ConfigurationError} for a name that is no field, for the id, and for a value that the schema refuses
 */
export function hookResult(resource: Resource, hook: string, result: unknown): Promise<Readonly<Record<string, unknown>>> | undefined {
  if (result === undefined) return undefined;
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    throw new ConfigurationError(`${resource.name}: "${hook}" must return an object with fields to set, or nothing.`);
  }
  return columnsOf(resource, hook, Object.entries(result));
}

async function columnsOf(
  resource: Resource,
  hook: string,
  entries: readonly (readonly [string, unknown])[],
): Promise<Readonly<Record<string, unknown>>> {
  const columns: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    const field = resource.fields.get(name);
    if (field === undefined) throw unknownField(resource, hook, name);
    if (field === resource.id) throw new ConfigurationError(`${resource.name}: "${hook}" returned "${name}"; the id of a row cannot be changed.`);
    const validated = validatedValue(field, value);
    const validation = validated instanceof Promise ? await validated : validated;
    if (!validation.ok) {
      const why = validation.items.map(({ detail }) => detail).join(" ");
      throw new ConfigurationError(`${resource.name}: "${hook}" returned a value for "${name}" that the schema refuses: ${why}`);
    }
    columns[name] = validation.value === undefined ? null : toRowValue(field, validation.value);
  }
  return columns;
}

/** `null` and `undefined` clear a field that may be missing. */
function validatedValue(field: ResourceField, value: unknown): Validation | Promise<Validation> {
  return value === undefined || value === null ? removedField(field) : field.validate(value, [field.name]);
}

function unknownField({ name: collection, fields }: Resource, hook: string, name: string): ConfigurationError {
  const near = closest(name, [...fields.keys()]);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return new ConfigurationError(`${collection}: "${hook}" returned "${name}", which is not a field of the schema.${hint}`);
}
