import type { RowPatch } from "../../src/storage/collection.js";
import type { Filter } from "../../src/storage/filter.js";
import type { Id, Version } from "../../src/storage/scalar.js";
import { Bindings } from "./bindings.js";
import type { SqlStatement } from "./executor.js";
import { columnList, writeKey } from "./keyed.js";
import { readField } from "./place.js";
import type { Table } from "./table.js";
import type { TableKey } from "./tableKey.js";
import { writeWhere } from "./where.js";

export interface UpdateOptions {
  readonly ifVersion?: Version | undefined;
  readonly replace?: boolean | undefined;
}

/** Updates one row and answers it. */
export function updateRow(table: Table, id: Id, patch: RowPatch, tenant: string, options: UpdateOptions): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const assignments = writeAssignments(table, patch, options.replace ?? false, bindings);
  const text = `update ${table.quoted} set ${assignments} where ${writeKey(table, id, tenant, options.ifVersion, bindings)} returning ${columnList(table)}`;
  return { text, values: bindings.values, writes: true, returns: "one", bigints: table.bigints };
}

export function updateRows(table: Table, filter: Filter | undefined, patch: RowPatch, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const assignments = writeAssignments(table, patch, false, bindings);
  const text = `update ${table.quoted} set ${assignments}${writeWhere(filter, tenant, table, bindings)}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** Unique keys that the patch sets a field of. */
export function touchedKeys(table: Table, patch: RowPatch, replace: boolean): readonly TableKey[] {
  return table.keys.filter(({ fields }) => replace || fields.some((field) => Object.hasOwn(patch, field)));
}

/** The id never changes. A shadow changes with the field that it is derived from. */
function writeAssignments(table: Table, patch: RowPatch, replace: boolean, bindings: Bindings): string {
  const assignments = [`"_version" = ${bindings.bind(patch._version)}`, `"_updatedAt" = ${bindings.bind(table.updatedAt.encode(patch._updatedAt))}`];
  for (const column of table.columns.values()) {
    if (column === table.id || !(replace || Object.hasOwn(patch, column.name))) continue;
    const value = bindings.bind(column.encode(readField(patch, column.name)));
    assignments.push(`${column.quoted} = ${value}${table.dialect.cast(column.kind)}`);
  }
  for (const { quoted, path, derive } of table.shadows) {
    if (path[0] !== table.id.name && (replace || Object.hasOwn(patch, path[0]))) assignments.push(`${quoted} = ${bindings.bind(derive(patch))}`);
  }
  return assignments.join(", ");
}
