import type { RowValues } from "../../ground/storage/values/rowValues.js";
import { codeConverter } from "./codeValue.js";
import type { FieldModel } from "./field.js";

/** Makes a frozen copy of a row as its schema has it, with `Date` and `bigint`. The members that stores and the service add are left out. */
export type ReadRow = (row: RowValues) => RowValues;

/** Compiles {@link ReadRow} for a collection. */
export function rowReader({ fields }: { readonly fields: ReadonlyMap<string, FieldModel> }): ReadRow {
  const columns = [...fields.values()].map((field) => ({ name: field.name, nullable: field.nullable, convert: codeConverter(field) }));
  return (row) => {
    const copy: Record<string, unknown> = {};
    for (const { name, nullable, convert } of columns) {
      const value = row[name];
      if (value === undefined || (value === null && !nullable)) continue;
      copy[name] = convert === undefined || value === null ? value : convert(value);
    }
    return Object.freeze(copy);
  };
}
