import type { SqlStatement } from "../../engine/executor.js";
import type { OwnTable } from "../../schema/table.js";
import type { Entry } from "../entry.js";
import { isNumbered } from "../insert.js";
import { rowCells } from "../rowCells.js";
import { type GroupLayout, groupLayouts } from "./groupLayout.js";

/**
 * What the insert of a group does if a key is taken, and what it returns.
 *
 * | kind | a key is taken | returns |
 * |---|---|---|
 * | whole | it fails and inserts no row | nothing |
 * | numbered | it fails and inserts no row | ids and versions |
 * | free | it inserts the other rows | ids and versions of those |
 */
export type GroupKind = "whole" | "numbered" | "free";

/**
 * Inserts several rows in order with one statement. The engine assigns missing ids. The text depends on the number of rows, and on the columns in which
 * all of them have the same value.
 *
 * @throws {TypeError} if a row has no id and the caller must assign it
 */
export function insertGroup(table: OwnTable, group: readonly Entry[], tenant: string, kind: GroupKind): SqlStatement {
  const read = rowCells(table, "encoded");
  const rows = group.map((entry) => {
    isNumbered(table, entry.row);
    return read(entry, tenant);
  });
  const layout = groupLayouts(table, kind, rows.length).choose(rows);
  const returns = kind === "whole" ? "none" : "many";
  return { text: layout.text, values: boundBy(layout, rows), writes: true, returns, bigints: table.bigints };
}

function boundBy({ shared, own }: GroupLayout, rows: readonly (readonly unknown[])[]): unknown[] {
  const [first = []] = rows;
  const values = shared.map((index) => first[index]);
  for (const cells of rows) for (const index of own) values.push(cells[index]);
  return values;
}
