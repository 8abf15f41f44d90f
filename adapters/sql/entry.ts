import type { NewRow, Row } from "../../src/storage/collection.js";
import type { Outcome } from "../../src/storage/outcome.js";
import type { Id } from "../../src/storage/scalar.js";
import { isNumbered } from "./insert.js";
import type { Table } from "./table.js";

/** A row on its way in, with its place in the batch. */
export interface Entry {
  readonly position: number;
  readonly row: NewRow;
  readonly operationId: string | undefined;
}

/** Whether versions tell the rows apart: each write has another, but a caller may not keep to that. */
export function haveOwnVersions(entries: readonly Entry[]): boolean {
  return new Set(entries.map(({ row }) => row._version)).size === entries.length;
}

/** The outcome of a row that went in, with its id where the store numbered it and told so. */
export function inserted(table: Table, row: NewRow, id: Id | undefined): Outcome<Row> {
  return { ok: true, row: id === undefined || !isNumbered(table, row) ? row : { ...row, [table.id.name]: id }, created: true };
}
