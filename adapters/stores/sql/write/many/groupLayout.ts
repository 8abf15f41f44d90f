import type { OwnTable } from "../../schema/table.js";
import { insertColumns } from "../insert.js";
import { type SharedLayout, SharedLayouts } from "../sharedLayouts.js";
import type { GroupKind } from "./insertGroup.js";

/** The text of an insert of several rows, a parameter a value. Its values are those of the shared columns, then those of the other columns of each row. */
export interface GroupLayout extends SharedLayout {
  readonly text: string;
  readonly own: readonly number[];
}

const layouts = new WeakMap<OwnTable, Map<string, SharedLayouts<GroupLayout>>>();

export function groupLayouts(table: OwnTable, kind: GroupKind, size: number): SharedLayouts<GroupLayout> {
  const all = layouts.get(table) ?? new Map<string, SharedLayouts<GroupLayout>>();
  layouts.set(table, all);
  const name = `${kind} ${size}`;
  const known = all.get(name) ?? new SharedLayouts((shared) => writeGroup(table, kind, size, shared));
  all.set(name, known);
  return known;
}

/** No driver takes the numbers of parameters in a list of values, so that the shared values are a row of their own. */
function writeGroup(table: OwnTable, kind: GroupKind, size: number, shared: readonly number[]): GroupLayout {
  const columns = insertColumns(table, false);
  const own = [...columns.keys()].filter((index) => !shared.includes(index));
  const quoted = [...shared, ...own].map((index) => columns[index]?.quoted).join(", ");
  const { placeholder } = table.dialect;
  const once = shared.map((_, index) => `${placeholder(index + 1)} as s${index}`).join(", ");
  const row = (_: unknown, at: number) => `(${own.map((__, index) => placeholder(shared.length + at * own.length + index + 1)).join(",")})`;
  const values = `values ${Array.from({ length: size }, row).join(",")}`;
  // A cross join keeps the order: the rows are the inner loop. Without "where true" the engine takes "on conflict" for the condition of the join.
  const source = shared.length === 0 ? values : `select shared.*, own.* from (select ${once}) as shared cross join (${values}) as own where true`;
  return { text: `insert into ${table.quoted} (${quoted}) ${source}${tailOf(table, kind)}`, shared, own };
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
