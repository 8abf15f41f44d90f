import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { Column } from "../../../ground/storage/model.js";
import { rowReader } from "../../../language/schema/rowReader.js";
import type { ResourceField, Validation } from "../resource.js";
import { toRowValue } from "../write/rowValues.js";
import type { Settings } from "./settings.js";

type Changes = Pick<Settings, "id" | "table" | "renamedFrom" | "backfill">;
type Fields = ReadonlyMap<string, ResourceField>;

/** @throws {ConfigurationError} for a field that cannot have had another name, or that may be without a value */
export function checkChanges(name: string, fields: Fields, { id, table, renamedFrom, backfill }: Changes): void {
  if (table !== undefined && Object.keys({ ...renamedFrom, ...backfill }).length > 0) {
    throw new ConfigurationError(`${name}: "renamedFrom" and "backfill" are for tables of this library; "table" names one of yours.`);
  }
  for (const [field, column] of Object.entries(renamedFrom)) {
    if (id.includes(field)) throw new ConfigurationError(`${name}: "renamedFrom" names the id "${field}"; choose the field with "id" instead.`);
    if (fields.has(column))
      throw new ConfigurationError(`${name}: "renamedFrom" says that "${field}" was called "${column}", which is another field.`);
  }
  for (const member of Object.keys(backfill)) {
    const field = fields.get(member);
    if (field?.nullable || field?.optional) {
      throw new ConfigurationError(`${name}: "backfill" names "${member}", which may have no value, so that rows without one stay as they are.`);
    }
  }
}

/** What a store must know of a field to read rows of earlier definitions. */
export function columnChanges(
  name: string,
  field: ResourceField,
  fields: Fields,
  { renamedFrom, backfill }: Pick<Changes, "renamedFrom" | "backfill">,
): Pick<Column, "storedAs" | "isRequired" | "default" | "backfill"> {
  const make = backfill[field.name];
  const read = make && rowReader({ fields });
  return {
    storedAs: renamedFrom[field.name],
    isRequired: !field.optional && !field.nullable && !field.hasDefault,
    default: field.hasDefault ? () => defaultOf(field) : undefined,
    backfill: read && ((row) => filled(`${name}: the "backfill" of "${field.name}"`, field, make(read(row) as Row))),
  };
}

function filled(where: string, field: ResourceField, value: unknown): unknown {
  const validation = synchronous(field.validate(value, [field.name]));
  if (validation?.ok) return toRowValue(field, validation.value);
  throw new ConfigurationError(
    `${where} made a value that the schema ${validation ? `refuses: ${validation.items[0]?.detail}` : "checks asynchronously."}`,
  );
}

function synchronous(validation: Validation | Promise<Validation>): Validation | undefined {
  if ("ok" in validation) return validation;
  void validation.catch(() => {});
  return undefined;
}

function defaultOf(field: ResourceField): unknown {
  const validation = synchronous(field.validate(undefined));
  return validation?.ok ? toRowValue(field, validation.value) : undefined;
}
