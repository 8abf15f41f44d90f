import type { SqlStatement } from "../engine/executor.js";
import type { OwnTable } from "../schema/table.js";
import type { Entry } from "./entry.js";
import { bindRow, insertColumns, isNumbered } from "./insert.js";

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

const texts = new WeakMap<OwnTable, Map<string, string>>();

/**
 * Inserts several rows in order with one statement (SQLite). The engine assigns missing ids. The text depends on the number of rows.
 *
 * @throws {TypeError} if a row has no id and the caller must assign it
 */
export function insertGroup(table: OwnTable, group: readonly Entry[], tenant: string, kind: GroupKind): SqlStatement {
  const values: unknown[] = [];
  for (const { row, operationId } of group) {
    isNumbered(table, row);
    bindRow(values, table, row, tenant, operationId, false);
  }
  const returns = kind === "whole" ? "none" : "many";
  return { text: groupText(table, group.length, kind), values, writes: true, returns, bigints: table.bigints };
}

function groupText(table: OwnTable, size: number, kind: GroupKind): string {
  const known = texts.get(table) ?? new Map<string, string>();
  texts.set(table, known);
  const name = `${kind} ${size}`;
  let text = known.get(name);
  if (text === undefined) {
    const columns = insertColumns(table, false).map(({ quoted }) => quoted);
    const row = `(${columns.map(() => "?").join(",")})`;
    const rows = Array.from({ length: size }, () => row).join(",");
    text = `insert into ${table.quoted} (${columns.join(", ")}) values ${rows}${tailOf(table, kind)}`;
    known.set(name, text);
  }
  return text;
}

function tailOf({ id }: OwnTable, kind: GroupKind): string {
  const returning = ` returning ${id.quoted}, "_version"`;
  switch (kind) {
    case "whole":
      return "";
    case "numbered":
      return returning;
    case "free":
      return ` on conflict do nothing${returning}`;
  }
}
