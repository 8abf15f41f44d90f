import { isObject } from "../../ground/http/isObject.js";
import type { Convert } from "../schema/wire.js";
import type { ChosenFields, ChosenMembers } from "./selection.js";
import type { View, ViewField } from "./view.js";

/** Compiles a selection of top-level fields, in its order. */
export function compilePick(fields: ReadonlyMap<string, Pick<ViewField, "nullable" | "toOutput">>, chosen: ChosenFields): View["select"] {
  const columns = [...chosen].flatMap(([name, members]) => {
    const field = fields.get(name);
    return field ? [{ name, nullable: field.nullable, convert: members === true ? field.toOutput : compileMembers(members, field.toOutput) }] : [];
  });
  const template = Object.fromEntries(columns.map(({ name }) => [name, null]));
  return (row) => {
    const isWhole = columns.length <= maxTemplate && columns.every(({ name, nullable }) => nullable || (row[name] ?? null) !== null);
    const selected: Record<string, unknown> = isWhole ? { ...template } : {};
    for (const { name, nullable, convert } of columns) {
      const value = row[name];
      if (value !== undefined && value !== null) selected[name] = convert === undefined ? value : convert(value);
      else if (nullable) selected[name] = null;
    }
    return selected;
  };
}

/** A copy of an object with all members takes half as long to fill and to write as JSON as an empty one; with more members than this it takes longer. */
const maxTemplate = 64;

/** Applies to each element of an array; values other than objects stay unchanged. @param convert called with the whole value before */
function compileMembers({ all, named }: ChosenMembers, convert?: Convert): Convert {
  const parts = [...named].map(([name, part]) => [name, typeof part === "boolean" ? part : compileMembers(part)] as const);
  const pick: Convert = (value) => {
    if (Array.isArray(value)) return value.map(pick);
    if (!isObject(value)) return value;
    const picked: Record<string, unknown> = all ? { ...value } : {};
    for (const [name, part] of parts) {
      if (part === false) delete picked[name];
      else if (Object.hasOwn(value, name)) picked[name] = part === true ? value[name] : part(value[name]);
    }
    return picked;
  };
  return convert === undefined ? pick : (value) => pick(convert(value));
}
