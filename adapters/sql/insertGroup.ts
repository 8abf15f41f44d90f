import type { Entry } from "./entry.js";
import type { SqlStatement } from "./executor.js";
import { bindRow, insertColumns, isNumbered } from "./insert.js";
import type { Table } from "./table.js";

/**
 * What a group's insert does where a key is taken, and what it answers.
 *
 * | kind | a key is taken | answers |
 * |---|---|---|
 * | whole | it fails, and no row goes in | nothing |
 * | numbered | it fails, and no row goes in | ids and versions |
 * | free | the other rows go in | ids and versions of those |
 */
export type GroupKind = "whole" | "numbered" | "free";

const texts = new WeakMap<Table, Map<string, string>>();

/**
 * Inserts several rows by one statement (SQLite), in order; the engine numbers those without an id. Its text depends on their number.
 *
 * @throws {TypeError} when a row lacks an id that the caller has to give
 */
export function insertGroup(table: Table, group: readonly Entry[], tenant: string, kind: GroupKind): SqlStatement {
  const values: unknown[] = [];
  for (const { row, operationId } of group) {
    isNumbered(table, row);
    bindRow(values, table, row, tenant, operationId, false);
  }
  const returns = kind === "whole" ? "none" : "many";
  return { text: groupText(table, group.length, kind), values, writes: true, returns, bigints: table.bigints };
}

function groupText(table: Table, size: number, kind: GroupKind): string {
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

function tailOf({ id }: Table, kind: GroupKind): string {
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
