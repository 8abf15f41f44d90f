import type { SqlStatement } from "../engine/executor.js";
import type { OwnTable } from "../schema/table.js";
import type { Entry } from "./entry.js";
import { sequenceOf } from "./numbering.js";
import { type RecordInsert, recordLayouts, storedLike } from "./recordLayout.js";
import { rowCells } from "./rowCells.js";

/** What an insert of records is like, and whether it returns the ids and versions of the rows that it inserts. */
export interface RecordsOptions extends RecordInsert {
  readonly returns: "none" | "many";
}

/** Inserts rows in order. For engines that receive rows as records. */
export function insertRecords(
  table: OwnTable,
  entries: readonly Pick<Entry, "row" | "operationId">[],
  tenant: string,
  options: RecordsOptions,
): SqlStatement {
  const { returns, numbers, isGathered } = options;
  const read = rowCells(table, "plain");
  const rows = entries.map((entry) => read(entry, tenant));
  const { text, returning, recordOf, encodeShared } = recordLayouts(table, options).choose(rows, storedLike);
  const json = JSON.stringify(rows.map(recordOf));
  const values = [json, ...(numbers ? sequenceOf(table) : []), ...encodeShared(rows[0] ?? [])];
  return { text: returns === "none" ? text : returning, values, writes: true, returns, bigints: table.bigints, isGathered };
}
