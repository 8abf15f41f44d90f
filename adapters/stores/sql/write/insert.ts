import type { NewRow } from "../../../../src/ground/storage/collection.js";
import type { SqlStatement } from "../engine/executor.js";
import { quoteIdentifier } from "../schema/identifier.js";
import type { OwnColumn, OwnTable, TableColumn } from "../schema/table.js";
import { readField } from "../schema/values.js";
import { rowCells } from "./rowCells.js";

const texts = new WeakMap<OwnTable, Map<boolean, string>>();

/**
 * Inserts one row and returns its id; returns no row if a key is taken.
 *
 * @throws {TypeError} if the row has no id and the caller must assign it
 */
export function insertRow(table: OwnTable, row: NewRow, tenant: string, operationId: string | undefined): SqlStatement {
  const numbered = isNumbered(table, row);
  const text = insertText(table, numbered);
  const values = rowCells(table, "encoded")({ row, operationId }, tenant);
  if (numbered) values.splice(idIndex(table), 1);
  return { text, values, writes: true, returns: "one", bigints: table.bigints };
}

function idIndex(table: OwnTable): number {
  return reserved.length + [...table.columns.values()].indexOf(table.id as OwnColumn);
}

/** Whether the store assigns the id of the row. @throws {TypeError} if the row has no id and the caller must assign it */
export function isNumbered(table: OwnTable, row: NewRow): boolean {
  const id = readField(row, table.id.name);
  if (id !== undefined && id !== null) return false;
  if (table.model.idFrom === "store") return true;
  throw new TypeError(`A row for "${table.model.name}" has no "${table.id.name}": the caller must assign the ids of this collection.`);
}

/** The columns that every table has. The first two are not of the row. */
const reserved = ["_tenant", "_operationId", "_version", "_updatedAt"] as const;

/** A column of an insert. */
export interface InsertColumn extends Pick<TableColumn, "kind" | "encode"> {
  readonly quoted: string;
  readonly cast: string;
}

/** The columns of an insert, in the order of its values. */
export function insertColumns(table: OwnTable, numbered: boolean): InsertColumn[] {
  const { dialect, id, updatedAt, version } = table;
  const own = [...table.columns.values()].filter((column) => !numbered || column !== id);
  const text = { kind: "text", encode: version.encode, cast: "" } as const;
  return [
    ...reserved.map((name) => ({ ...text, quoted: quoteIdentifier(name), ...(name === "_updatedAt" ? pick(updatedAt) : {}) })),
    ...own.map((column) => ({ ...pick(column), quoted: column.stored, cast: dialect.cast(column.kind) })),
    ...table.shadows.map(({ quoted }) => ({ ...text, quoted })),
  ];
}

function pick({ kind, encode }: TableColumn): Pick<TableColumn, "kind" | "encode"> {
  return { kind, encode };
}

function insertText(table: OwnTable, numbered: boolean): string {
  const known = texts.get(table) ?? new Map<boolean, string>();
  texts.set(table, known);
  let text = known.get(numbered);
  if (text === undefined) {
    const columns = insertColumns(table, numbered);
    const values = columns.map(({ cast }, index) => `${table.dialect.placeholder(index + 1)}${cast}`);
    text = `insert into ${table.quoted} (${columns.map(({ quoted }) => quoted).join(", ")}) values (${values.join(", ")}) on conflict do nothing returning ${table.id.quoted}`;
    known.set(numbered, text);
  }
  return text;
}
