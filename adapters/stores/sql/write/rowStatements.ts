import type { Row, RowPatch } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Id, Version } from "../../../../src/ground/storage/values/scalar.js";
import { Bindings } from "../engine/bindings.js";
import type { SqlStatement } from "../engine/executor.js";
import { columnList } from "../query/select.js";
import { writeWhere } from "../query/where.js";
import type { OwnTable } from "../schema/table.js";
import type { TableKey } from "../schema/tableKey.js";
import { readField } from "../schema/values.js";

export interface UpdateOptions {
  readonly ifVersion?: Version | undefined;
  readonly replace?: boolean | undefined;
  /** The row as the caller has read it. */
  readonly before?: Row | undefined;
}

/** Updates one row and returns it. */
export function updateRow(table: OwnTable, id: Id, patch: RowPatch, tenant: string, options: UpdateOptions): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const assignments = writeAssignments(table, patch, options.replace ?? false, bindings);
  const text = `update ${table.quoted} set ${assignments} where ${writeKey(table, id, tenant, options.ifVersion, bindings)} returning ${columnList(table)}`;
  return { text, values: bindings.values, writes: true, returns: "one", bigints: table.bigints };
}

/** Updates one row that has this version, and returns nothing. */
export function updateKnownRow(table: OwnTable, id: Id, patch: RowPatch, tenant: string, version: Version): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const assignments = writeAssignments(table, patch, false, bindings);
  const text = `update ${table.quoted} set ${assignments} where ${writeKey(table, id, tenant, version, bindings)}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

export function updateRows(table: OwnTable, filter: Filter | undefined, patch: RowPatch, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const assignments = writeAssignments(table, patch, false, bindings);
  const text = `update ${table.quoted} set ${assignments}${writeWhere(filter, tenant, table, bindings)}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** The unique keys with a field that the patch sets. */
export function touchedKeys(table: OwnTable, patch: RowPatch, replace: boolean): readonly TableKey[] {
  return table.keys.filter(({ fields }) => replace || fields.some((field) => Object.hasOwn(patch, field)));
}

/** The id never changes. A shadow column changes with the field that it is derived from. */
function writeAssignments(table: OwnTable, patch: RowPatch, replace: boolean, bindings: Bindings): string {
  const assignments = [`"_version" = ${bindings.bind(patch._version)}`, `"_updatedAt" = ${bindings.bind(table.updatedAt.encode(patch._updatedAt))}`];
  for (const column of table.columns.values()) {
    if (column === table.id || !(replace || Object.hasOwn(patch, column.name))) continue;
    const value = bindings.bind(column.encode(readField(patch, column.name)));
    assignments.push(`${column.stored} = ${value}${table.dialect.cast(column.kind)}`);
  }
  for (const { quoted, path, derive } of table.shadows) {
    if (path[0] !== table.id.name && (replace || Object.hasOwn(patch, path[0]))) assignments.push(`${quoted} = ${bindings.bind(derive(patch))}`);
  }
  return assignments.join(", ");
}

/** Deletes one row and returns it. */
export function removeRow(table: OwnTable, id: Id, tenant: string, ifVersion: Version | undefined): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const text = `delete from ${table.quoted} where ${writeKey(table, id, tenant, ifVersion, bindings)} returning ${columnList(table)}`;
  return { text, values: bindings.values, writes: true, returns: "one", bigints: table.bigints };
}

export function removeRows(table: OwnTable, filter: Filter | undefined, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const text = `delete from ${table.quoted}${writeWhere(filter, tenant, table, bindings)}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** Writes the condition for one row and, if given, the version that it must have. */
function writeKey(table: OwnTable, id: Id, tenant: string, ifVersion: string | undefined, bindings: Bindings): string {
  const key = `${table.id.quoted} = ${bindings.bind(table.id.encode(id))} and "_tenant" = ${bindings.bind(tenant)}`;
  return ifVersion === undefined ? key : `${key} and "_version" = ${bindings.bind(ifVersion)}`;
}
