import { listMaker, type MadeMember } from "../../../../src/ground/storage/values/objectMaker.js";
import type { OwnTable, TableColumn } from "../schema/table.js";
import type { Entry } from "./entry.js";

/** Reads the values of a row in the order of `insertColumns`. */
export type ReadCells = (entry: Pick<Entry, "row" | "operationId">, tenant: string) => unknown[];

const readers = { encoded: new WeakMap<OwnTable, ReadCells>(), plain: new WeakMap<OwnTable, ReadCells>() };

/** @param form whether the values are encoded for the engine, or as rows have them */
export function rowCells(table: OwnTable, form: keyof typeof readers): ReadCells {
  const known = readers[form].get(table);
  if (known !== undefined) return known;
  const encode = (column: TableColumn) => (form === "plain" || isAsItIs(column) ? undefined : column.encode);
  const values = listMaker([
    // Not of the row: they are set below.
    { name: "_tenant" },
    { name: "_operationId" },
    { name: "_version" },
    { name: "_updatedAt", convert: encode(table.updatedAt) },
    ...[...table.columns.values()].map((column): MadeMember => ({ name: column.name, convert: encode(column) })),
    ...table.shadows.map(({ path: [name], deriveFrom }): MadeMember => ({ name, convert: deriveFrom })),
  ]);
  const read: ReadCells = ({ row, operationId }, tenant) => {
    const cells = values(row);
    cells[0] = tenant;
    cells[1] = operationId ?? null;
    return cells;
  };
  readers[form].set(table, read);
  return read;
}

/** Whether every engine takes the values of a column as rows have them. */
export function isAsItIs({ kind }: Pick<TableColumn, "kind">): boolean {
  return kind === "text" || kind === "number";
}
