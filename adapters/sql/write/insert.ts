import type { NewRow } from "../../../src/storage/collection.js";
import type { SqlStatement } from "../engine/executor.js";
import { quoteIdentifier } from "../schema/identifier.js";
import type { OwnTable } from "../schema/table.js";
import { readField } from "../schema/values.js";

const texts = new WeakMap<OwnTable, Map<boolean, string>>();

/**
 * Inserts one row and returns its id; returns no row if a key is taken.
 *
 * @throws {TypeError} if the row has no id and the caller must assign it
 */
export function insertRow(table: OwnTable, row: NewRow, tenant: string, operationId: string | undefined): SqlStatement {
  const numbered = isNumbered(table, row);
  const text = insertText(table, numbered);
  const values: unknown[] = [];
  bindRow(values, table, row, tenant, operationId, numbered);
  return { text, values, writes: true, returns: "one", bigints: table.bigints };
}

/** Appends the values of a row in the order of `insertColumns`. */
export function bindRow(values: unknown[], table: OwnTable, row: NewRow, tenant: string, operationId: string | undefined, numbered: boolean): void {
  values.push(tenant, row._version, table.updatedAt.encode(row._updatedAt), operationId ?? null);
  for (const column of table.columns.values()) if (!numbered || column !== table.id) values.push(column.encode(readField(row, column.name)));
  for (const shadow of table.shadows) values.push(shadow.derive(row));
}

/** Whether the store assigns the id of the row. @throws {TypeError} if the row has no id and the caller must assign it */
export function isNumbered(table: OwnTable, row: NewRow): boolean {
  const id = readField(row, table.id.name);
  if (id !== undefined && id !== null) return false;
  if (table.model.idFrom === "store") return true;
  throw new TypeError(`A row for "${table.model.name}" has no "${table.id.name}": the caller must assign the ids of this collection.`);
}

/** The columns of an insert, in the order of its values. */
export function insertColumns(table: OwnTable, numbered: boolean): { readonly quoted: string; readonly cast: string }[] {
  const { dialect, id } = table;
  const own = [...table.columns.values()].filter((column) => !numbered || column !== id);
  return [
    ...["_tenant", "_version", "_updatedAt", "_operationId"].map((name) => ({ quoted: quoteIdentifier(name), cast: "" })),
    ...own.map(({ stored, kind }) => ({ quoted: stored, cast: dialect.cast(kind) })),
    ...table.shadows.map(({ quoted }) => ({ quoted, cast: "" })),
  ];
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
