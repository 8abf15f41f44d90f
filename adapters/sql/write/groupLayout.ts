import type { OwnTable } from "../schema/table.js";
import { insertColumns } from "./insert.js";
import type { GroupKind } from "./insertGroup.js";

/** The text of an insert of several rows, and the order of its values. */
export interface GroupLayout {
  readonly text: string;
  /** Indexes of the columns with one value for all rows; these values come first. */
  readonly shared: readonly number[];
  /** Indexes of the other columns, in each row. */
  readonly own: readonly number[];
}

/** Smaller groups are the ends of calls: their rows have the same values by chance, and a statement of their own would be prepared for each chance. */
const minShared = 64;

/** The most layouts of a table for one kind of statement: each is prepared once for a connection. */
const maxLayouts = 8;

interface Layouts {
  readonly full: Map<number, GroupLayout>;
  readonly shared: Map<string, GroupLayout>;
}

const known = new WeakMap<OwnTable, Map<GroupKind, Layouts>>();

/**
 * The statement for these rows. A parameter costs the driver more than the engine needs to store its value, and most rows of a file have the same tenant, the same
 * instant, and no value in the same columns: such values are sent once for all rows.
 *
 * @param rows the values in the order of `insertColumns`
 */
export function layoutOf(table: OwnTable, kind: GroupKind, rows: readonly (readonly unknown[])[]): GroupLayout {
  const { full, shared } = layoutsOf(table, kind);
  if (rows.length >= minShared) {
    const columns = sharedColumns(rows);
    const name = `${rows.length} ${columns.join()}`;
    const layout = shared.get(name) ?? (columns.length > 0 && shared.size < maxLayouts ? writeShared(table, kind, rows.length, columns) : undefined);
    if (layout !== undefined) shared.set(name, layout);
    const fitting = layout ?? [...shared.values()].find((each) => each.shared.every((index) => columns.includes(index)));
    if (fitting !== undefined) return fitting;
  }
  const layout = full.get(rows.length) ?? writeFull(table, kind, rows.length);
  full.set(rows.length, layout);
  return layout;
}

function layoutsOf(table: OwnTable, kind: GroupKind): Layouts {
  const kinds = known.get(table) ?? new Map<GroupKind, Layouts>();
  known.set(table, kinds);
  const layouts = kinds.get(kind) ?? { full: new Map(), shared: new Map() };
  kinds.set(kind, layouts);
  return layouts;
}

/** The columns in which all rows have the same value. At least one column is left to the rows. */
function sharedColumns([first = [], ...others]: readonly (readonly unknown[])[]): number[] {
  const columns: number[] = [];
  for (let index = 0; index < first.length; index++) {
    const value = first[index];
    if (others.every((cells) => cells[index] === value)) columns.push(index);
  }
  return columns.length === first.length ? columns.slice(1) : columns;
}

function writeFull(table: OwnTable, kind: GroupKind, rows: number): GroupLayout {
  const columns = insertColumns(table, false);
  const quoted = columns.map((column) => column.quoted).join(", ");
  const text = `insert into ${table.quoted} (${quoted}) values ${writeRows(columns.length, rows)}${tailOf(table, kind)}`;
  return { text, shared: [], own: [...columns.keys()] };
}

/** No driver takes the numbers of parameters in a list of values, so that the shared values are a row of their own. */
function writeShared(table: OwnTable, kind: GroupKind, rows: number, shared: readonly number[]): GroupLayout {
  const columns = insertColumns(table, false);
  const own = [...columns.keys()].filter((index) => !shared.includes(index));
  const quoted = [...shared, ...own].map((index) => columns[index]?.quoted).join(", ");
  const once = shared.map((_, index) => `? as s${index}`).join(", ");
  // A cross join keeps the order: the rows are the inner loop. Without "where true" the engine takes "on conflict" for the condition of the join.
  const source = `(select ${once}) as shared cross join (values ${writeRows(own.length, rows)}) as own where true`;
  const text = `insert into ${table.quoted} (${quoted}) select shared.*, own.* from ${source}${tailOf(table, kind)}`;
  return { text, shared, own };
}

function writeRows(columns: number, rows: number): string {
  const row = `(${Array.from({ length: columns }, () => "?").join(",")})`;
  return Array.from({ length: rows }, () => row).join(",");
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
