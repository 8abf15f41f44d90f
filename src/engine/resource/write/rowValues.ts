import type { Row } from "../../../ground/storage/collection.js";
import { floorTo } from "../../../language/schema/dateTimeForm.js";
import type { Edited } from "../../../language/schema/declared.js";
import type { Environment } from "../../operation/environment.js";
import type { Resource, ResourceField } from "../resource.js";

/** Members of a body → inputs of the zod types. Only a resource with dates or bigints has anything to convert. */
export function toInput(resource: Resource, members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let input = members;
  for (const { name, toInput: convert } of resource.fields.values()) {
    if (convert !== undefined && Object.hasOwn(members, name)) input = { ...input, [name]: convert(members[name]) };
  }
  return input;
}

/** A value of a body → the input of its zod type. */
export function inputOf({ toInput: convert }: Pick<ResourceField, "toInput">, value: unknown): unknown {
  return convert === undefined ? value : convert(value);
}

/** A validated value → the value in the row. */
export function toRowValue(field: ResourceField, value: unknown): unknown {
  return field.toRow === undefined || value === undefined || value === null ? value : field.toRow(value);
}

/** A stored value → the value that a client could have sent for it; `undefined` if it would have sent none. */
export function toBodyValue(field: ResourceField, value: unknown): unknown {
  if (value === null || value === undefined) return field.nullable ? null : undefined;
  if (value instanceof Date) return field.dateTime?.text(value) ?? value.toISOString();
  if (typeof value === "bigint") return value.toString();
  return field.declared === undefined ? value : field.declared(value);
}

/**
 * Puts into the values of a write what the row has in the same objects and no type declares: what another program or an earlier release wrote there stays.
 *
 * @param row the stored row; `undefined` for a new one
 * @param edited how a JSON Patch has changed a field
 */
export function withUndeclared(
  fields: ReadonlyMap<string, ResourceField>,
  row: Readonly<Record<string, unknown>> | undefined,
  values: Record<string, unknown>,
  edited?: (name: string) => Edited,
): Record<string, unknown> {
  if (row === undefined) return values;
  for (const [name, next] of Object.entries(values)) {
    const stored = row[name];
    const keep = typeof next === "object" && next !== null ? fields.get(name)?.keepUndeclared : undefined;
    if (keep !== undefined && stored !== undefined && stored !== null) values[name] = keep(stored, next, edited?.(name));
  }
  return values;
}

/** The values of generated fields for a new row. An `increment` is left to the store. */
export function generate(resource: Resource, environment: Environment, now: Date): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of resource.fields.values()) {
    switch (field.generator) {
      case "ulid":
        values[field.name] = environment.ids.ulid();
        break;
      case "uuid":
        values[field.name] = toRowValue(field, environment.ids.uuid());
        break;
      case "createdAt":
      case "updatedAt":
        values[field.name] = instant(field, now);
        break;
      default:
    }
  }
  return values;
}

/** The generated fields that every change sets. */
export function regenerate(resource: Resource, now: Date): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of resource.fields.values()) if (field.generator === "updatedAt") values[field.name] = instant(field, now);
  return values;
}

/** A date-time that the schema declares as plain text is stored as text. */
function instant(field: ResourceField, now: Date): Date | string {
  return field.kind === "datetime" ? floorTo(field.dateTime, now) : now.toISOString();
}

/** The reserved members of every write of a row: its next version and its instant. */
export function stamp(environment: Pick<Environment, "ids">, now: Date): Pick<Row, "_version" | "_updatedAt"> {
  return { _version: environment.ids.ulid(), _updatedAt: now };
}
