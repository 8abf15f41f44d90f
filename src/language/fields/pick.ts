import { isObject } from "../../ground/http/isObject.js";
import { objectMaker } from "../../ground/storage/values/objectMaker.js";
import type { Convert } from "../schema/wire.js";
import type { ChosenFields, ChosenMembers } from "./selection.js";
import type { View, ViewField } from "./view.js";

/** Compiles a selection of top-level fields, in its order. */
export function compilePick(fields: ReadonlyMap<string, Pick<ViewField, "nullable" | "toOutput">>, chosen: ChosenFields): View["select"] {
  const columns = [...chosen].flatMap(([name, members]) => {
    const field = fields.get(name);
    return field ? [{ name, nullable: field.nullable, convert: members === true ? field.toOutput : compileMembers(members, field.toOutput) }] : [];
  });
  const required = columns.flatMap(({ name, nullable }) => (nullable ? [] : [name]));
  const make = objectMaker(columns);
  return (row) => {
    for (const name of required) if ((row[name] ?? null) === null) return pickPresent(columns, row);
    return make(row);
  };
}

interface Column {
  readonly name: string;
  readonly nullable: boolean;
  readonly convert: Convert | undefined;
}

/** A field without a value is absent unless it is nullable. */
function pickPresent(columns: readonly Column[], row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const selected: Record<string, unknown> = {};
  for (const { name, nullable, convert } of columns) {
    const value = row[name];
    if (value !== undefined && value !== null) selected[name] = convert === undefined ? value : convert(value);
    else if (nullable) selected[name] = null;
  }
  return selected;
}

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
