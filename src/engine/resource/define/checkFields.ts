import { ConfigurationError } from "../../../ground/problem/index.js";
import { columnKind, type FieldModel } from "../../../language/schema/field.js";
import { partsOf } from "../../../language/schema/walk.js";
import type { ResourceField } from "../resource.js";

/**
 * Refuses fields that no request could ever fill, and rules that would reveal what they hide.
 *
 * @throws {ConfigurationError}
 */
export function checkFields(name: string, idNames: readonly string[], fields: ReadonlyMap<string, ResourceField>, isMapped: boolean): void {
  const isComposite = idNames.length > 1;
  for (const field of fields.values()) {
    const isId = idNames.includes(field.name);
    if (isId) checkId(name, field);
    const where = `${name}: "${field.name}"`;
    requireForm(name, field, [field.name]);
    if (field.generator === "increment" && (isComposite || !isId)) {
      throw new ConfigurationError(`${where}: only the id can be an "increment"${isComposite ? ", and no part of a composite one" : ""}.`);
    }
    if (field.generator === "code" && isId && !isComposite) {
      throw new ConfigurationError(`${where}: code cannot make the id; choose another generator, or let clients send it.`);
    }
    if (field.generator === "database" && !isMapped)
      throw new ConfigurationError(`${where}: "database" needs a "table", whose columns the engine fills.`);
    if (field.generator === "increment" && isMapped)
      throw new ConfigurationError(`${where}: say "database", since the engine numbers the rows of a "table".`);
    const isRequired = !field.optional && !field.hasDefault && field.generator === undefined;
    if (isRequired && field.readOnly && !field.isStamped) {
      throw new ConfigurationError(`${where} is read-only and required, so that no row can be created. Give it a default, or make it optional.`);
    }
    if (isRequired && field.access?.onForbidden === "hide") {
      throw new ConfigurationError(
        `${where} is hidden from some principals and required: the fault for its absence would reveal it. Give it a default, or make it optional.`,
      );
    }
  }
}

/** A date-time that is stored must be one that can be sent back. */
function requireForm(collection: string, field: FieldModel, path: readonly string[]): void {
  if (field.kind === "datetime" && !field.readsDate && field.dateTime === undefined) {
    throw new ConfigurationError(
      `${collection}: "${path.join(".")}" accepts no date-time in UTC as it would be shown, with 0 to 9 digits of a second or without seconds; correct its length or pattern.`,
    );
  }
  for (const part of partsOf(field)) requireForm(collection, part, part.name === "" ? path : [...path, part.name]);
}

function checkId(name: string, id: ResourceField): void {
  const kind = columnKind(id);
  if ((kind !== "text" && kind !== "int" && kind !== "bigint") || id.kind === "bytes") {
    throw new ConfigurationError(`${name}: the id "${id.name}" must be a string, an integer or a bigint.`);
  }
  if (id.nullable || id.optional) throw new ConfigurationError(`${name}: the id "${id.name}" cannot be nullable or optional.`);
  if (id.generator === "increment" && kind === "text") throw new ConfigurationError(`${name}: "increment" needs an integer id.`);
  if (id.generator === "createdAt" || id.generator === "updatedAt") throw new ConfigurationError(`${name}: an id cannot be a date.`);
}
