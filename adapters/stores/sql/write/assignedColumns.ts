import type { RowPatch } from "../../../../src/ground/storage/collection.js";
import type { OwnColumn, OwnTable } from "../schema/table.js";
import { readField } from "../schema/values.js";
import type { RecordsetColumn } from "./recordset.js";

/** A column that an update sets, and its values as records have them. */
export interface AssignedColumn extends RecordsetColumn {
  readonly quoted: string;
}

/**
 * What an update of several rows sets: version and time, the columns of the given fields, and what is derived from those. The id never changes.
 *
 * @param isSet whether a column is one of them
 */
export function assignedColumns(table: OwnTable, rows: readonly RowPatch[], isSet: (column: OwnColumn) => boolean): AssignedColumn[] {
  const columns = [...table.columns.values()].filter((column) => column !== table.id && isSet(column));
  const names = new Set(columns.map(({ name }) => name));
  return [
    { ...table.version, values: rows.map(({ _version }) => _version) },
    { ...table.updatedAt, values: rows.map(({ _updatedAt }) => table.updatedAt.encode(_updatedAt)) },
    ...columns.map((column) => {
      const values = rows.map((row) => readField(row, column.name));
      return { kind: column.kind, quoted: column.stored, values: column.kind === "json" ? values : values.map(column.encode) };
    }),
    ...table.shadows
      .filter(({ path }) => names.has(path[0]))
      .map(({ quoted, derive }) => ({ quoted, kind: "text" as const, values: rows.map(derive) })),
  ];
}
