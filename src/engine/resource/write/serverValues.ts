import { instanceName, isPlainObject } from "../../../ground/http/isObject.js";
import { closest } from "../../../ground/problem/closest.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import type { Resource, ResourceField, Validation } from "../resource.js";
import { removedField } from "./patchedValues.js";
import { toRowValue } from "./rowValues.js";

/**
 * Validates fields that the developer's code sets, one by one. Fields that clients cannot write are allowed; the id is not. `null` and `undefined` clear a field.
 *
 * @param place what returned them, for messages: `orders: the action "cancel"`
 * @returns the values as rows hold them; a promise only if a field is validated by one
 * @throws {ConfigurationError} for a value that is not an object, an unknown field, the id, and a value that the schema refuses
 */
export function serverValues(resource: Resource, place: string, given: unknown): RowValues | Promise<RowValues> {
  requirePlain(place, given);
  const values: Record<string, unknown> = {};
  const entries = Object.entries(given);
  for (const [position, [name, value]] of entries.entries()) {
    const field = settableField(resource, place, name);
    const validated = validatedValue(field, value);
    if (validated instanceof Promise) {
      const others = Object.fromEntries(entries.slice(position + 1));
      return validated.then(async (validation) => ({
        ...values,
        [name]: rowValue(field, place, validation),
        ...(await serverValues(resource, place, others)),
      }));
    }
    values[name] = rowValue(field, place, validated);
  }
  return values;
}

/** A Date, a Map or another class instance has no members, or not those of the row: to write nothing in silence would be worse. @throws {ConfigurationError} */
export function requirePlain(place: string, given: unknown): asserts given is Readonly<Record<string, unknown>> {
  if (isPlainObject(given)) return;
  const what = given === null ? "null" : typeof given === "object" ? instanceName(given) : `a ${typeof given}`;
  throw new ConfigurationError(`${place} must return a plain object with fields to set, or nothing; it returned ${what}.`);
}

function settableField({ fields, idNames }: Resource, place: string, name: string): ResourceField {
  const field = fields.get(name);
  if (field === undefined) throw new ConfigurationError(`${place} returned "${name}", which is not a field of the schema.${hint(name, fields)}`);
  if (idNames.includes(name)) throw new ConfigurationError(`${place} returned "${name}"; the id of a row cannot be changed.`);
  return field;
}

function rowValue(field: ResourceField, place: string, validation: Validation): unknown {
  if (validation.ok) return validation.value === undefined ? null : toRowValue(field, validation.value);
  const why = validation.items.map(({ detail }) => detail).join(" ");
  throw new ConfigurationError(`${place} returned a value for "${field.name}" that the schema refuses: ${why}`);
}

/** `null` and `undefined` clear a field that may be missing. */
function validatedValue(field: ResourceField, value: unknown): Validation | Promise<Validation> {
  return value === undefined || value === null ? removedField(field) : field.validate(value, [field.name]);
}

function hint(name: string, fields: Resource["fields"]): string {
  const near = closest(name, fields.keys());
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}
