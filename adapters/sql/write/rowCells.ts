import type { NewRow } from "../../../src/storage/collection.js";
import { listMaker, type MadeMember } from "../../../src/storage/objectMaker.js";
import type { OwnTable } from "../schema/table.js";

const readers = new WeakMap<OwnTable, (row: NewRow) => unknown[]>();

/** The encoded values of a row in the order of `insertColumns`, without those that the row does not have itself: the tenant and the operation. */
export function rowCells(table: OwnTable): (row: NewRow) => unknown[] {
  const known = readers.get(table);
  if (known !== undefined) return known;
  const read = listMaker([
    { name: "_version" },
    { name: "_updatedAt", convert: table.updatedAt.encode },
    ...[...table.columns.values()].map(({ name, kind, encode }): MadeMember => ({ name, convert: isAsItIs(kind) ? undefined : encode })),
    ...table.shadows.map(({ path: [name = ""], deriveFrom }): MadeMember => ({ name, convert: deriveFrom })),
  ]);
  readers.set(table, read);
  return read;
}

/** Whether every engine takes the values of a column as rows have them. */
function isAsItIs(kind: OwnTable["id"]["kind"]): boolean {
  return kind === "text" || kind === "number";
}
