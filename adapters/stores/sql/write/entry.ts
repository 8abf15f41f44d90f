import type { NewRow, Row } from "../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import type { OwnTable } from "../schema/table.js";
import { isNumbered } from "./insert.js";

/** A row to insert, with its position in the batch. */
export interface Entry {
  readonly position: number;
  readonly row: NewRow;
  readonly operationId: string | undefined;
}

/** Whether all versions differ, so that they identify the rows. Each write should have a new version, but a caller may break that rule. */
export function haveOwnVersions(entries: readonly Entry[]): boolean {
  return new Set(entries.map(({ row }) => row._version)).size === entries.length;
}

/** The outcome of an inserted row, with its id if the store assigned one and returned it. */
export function inserted(table: OwnTable, row: NewRow, id: Id | undefined): Outcome<Row> {
  return { ok: true, row: id === undefined || !isNumbered(table, row) ? row : { ...row, [table.id.name]: id }, created: true };
}
