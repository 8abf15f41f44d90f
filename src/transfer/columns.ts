import { type ProblemItem, problemOf } from "../problem/index.js";
import type { FieldModel } from "../schema/field.js";
import { compileCell, type ReadCell, takesEmptyText } from "./cell.js";
import { repeatedColumn, unknownColumn, unmappedColumn } from "./columnProblems.js";
import type { ImportSettings } from "./settings.js";

/** The fields that the columns of a file may set. */
export interface ImportTarget {
  readonly fields: ReadonlyMap<string, FieldModel>;
  /** Names of those that each row needs. */
  readonly required: readonly string[];
  /** Rows change others: of an object the members may have columns that change. */
  readonly isPartial?: boolean | undefined;
  /** Why a field, or what looks like one, cannot be set; `undefined` where there is no such field that the reader may know of. */
  refuse(name: string): Pick<ProblemItem, "code" | "detail"> | undefined;
}

/** The members that the cells of a row say. A cell that is empty and not in quotes says nothing, or null where that may be. */
export type ReadRecord = (cells: readonly string[], quotedEmpty: ReadonlySet<number> | undefined) => Record<string, unknown>;

/** What error reports say of a row, which may be imported as they are. */
export const reportColumns: ReadonlySet<string> = new Set(["_row", "_line", "_code", "_field", "_message"]);

interface Column {
  readonly index: number;
  readonly path: readonly string[];
  /** Whether a cell that is empty, but in quotes, is the empty text. */
  readonly takesEmpty: boolean;
  readonly isNullable: boolean;
  readonly read: ReadCell;
}

interface Columns {
  readonly columns: readonly Column[];
  readonly nestedNullable: readonly Column[];
}

/**
 * Finds the field of each column: by `map`, by its name, or by its name in other letters. Members of objects have names with dots.
 *
 * @param undo takes away what protects the readers of spreadsheets, from names and cells
 * @throws {ProblemError} MISSING_COLUMN, REPEATED_COLUMN, UNKNOWN_COLUMN, FORBIDDEN_FIELD, with all that is wrong with the header
 */
export function compileColumns(
  header: readonly string[],
  target: ImportTarget,
  { map, unknownColumns }: Pick<ImportSettings, "map" | "unknownColumns">,
  undo: (cell: string) => string = (cell) => cell,
): ReadRecord {
  const places = placesOf(target.fields);
  const problems: ProblemItem[] = [];
  const columns: Column[] = [];
  const taken = new Map<string, string>();
  const titles = header.map(undo);
  for (const [index, title] of titles.entries()) {
    if (reportColumns.has(title)) continue;
    const name = Object.hasOwn(map, title) ? (map[title] ?? title) : title;
    const place = places.exact.get(name) ?? places.folded.get(name.toLowerCase());
    if (place === undefined) {
      const refusal = target.refuse(name);
      // What somebody has named is not left out without a word.
      if (unknownColumns === "error" || name !== title || refusal?.code === "FORBIDDEN_FIELD") {
        problems.push(refusal ?? unknownColumn({ title, name, index }, places.exact.keys()));
      }
      continue;
    }
    const other = overlapping(taken, place.path);
    if (other !== undefined) problems.push(repeatedColumn(title, other));
    taken.set(place.path.join("."), title);
    columns.push({ ...place, index, read: readerOf(place.field, undo) });
  }
  for (const title of Object.keys(map)) if (!titles.includes(title)) problems.push(unmappedColumn(title));
  problems.push(...missingColumns(target, [...taken.keys()]));
  if (problems.length > 0) throw problemOf(problems[0]?.code ?? "UNKNOWN_COLUMN", problems, { status: statusOf(problems) });
  const all: Columns = { columns, nestedNullable: columns.filter(({ path, isNullable }) => isNullable && path.length > 1) };
  return (cells, quotedEmpty) => readRecord(all, cells, quotedEmpty);
}

interface Place {
  readonly path: readonly string[];
  readonly field: FieldModel;
  readonly takesEmpty: boolean;
  readonly isNullable: boolean;
}

/** Every name that a column may have. */
function placesOf(fields: ReadonlyMap<string, FieldModel>) {
  const exact = new Map<string, Place>();
  const folded = new Map<string, Place | undefined>();
  const add = (path: readonly string[], field: FieldModel) => {
    const name = path.join(".");
    const place = { path, field, takesEmpty: takesEmptyText(field), isNullable: field.nullable };
    exact.set(name, place);
    // What two names could mean without their case is neither.
    folded.set(name.toLowerCase(), folded.has(name.toLowerCase()) ? undefined : place);
    for (const [member, child] of field.kind === "object" ? (field.children ?? []) : []) add([...path, member], child);
  };
  for (const [name, field] of fields) add([name], field);
  return { exact, folded };
}

function readerOf(field: FieldModel, undo: (cell: string) => string): ReadCell {
  const read = compileCell(field);
  return (cell) => read(undo(cell));
}

function readRecord(
  { columns, nestedNullable }: Columns,
  cells: readonly string[],
  quotedEmpty: ReadonlySet<number> | undefined,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const column of columns) {
    const { index, path, isNullable, read } = column;
    const cell = cells[index] ?? "";
    if (cell !== "" || isEmptyText(column, quotedEmpty)) setAt(record, path, read(cell));
    else if (isNullable && path.length === 1) setAt(record, path, null);
  }
  for (const column of nestedNullable) {
    if ((cells[column.index] ?? "") === "" && !isEmptyText(column, quotedEmpty)) setNullAt(record, column.path);
  }
  return record;
}

function isEmptyText({ index, takesEmpty }: Column, quotedEmpty: ReadonlySet<number> | undefined): boolean {
  return takesEmpty && quotedEmpty?.has(index) === true;
}

/** Objects come to be with their first member that has a value. */
function setAt(record: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let parent = record;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const step = path[depth] ?? "";
    if (!Object.hasOwn(parent, step)) parent[step] = {};
    parent = parent[step] as Record<string, unknown>;
  }
  parent[path.at(-1) ?? ""] = value;
}

/** An object whose members are all empty is not there, and has no member that is null. */
function setNullAt(record: Record<string, unknown>, path: readonly string[]): void {
  let parent: Record<string, unknown> | undefined = record;
  for (const step of path.slice(0, -1)) {
    parent = parent !== undefined && Object.hasOwn(parent, step) ? (parent[step] as Record<string, unknown>) : undefined;
  }
  if (parent !== undefined) parent[path.at(-1) ?? ""] = null;
}

/** Another column for the same place, or for one above or below it. */
function overlapping(taken: ReadonlyMap<string, string>, path: readonly string[]): string | undefined {
  const name = path.join(".");
  for (const [other, title] of taken) if (other === name || other.startsWith(`${name}.`) || name.startsWith(`${other}.`)) return title;
  return undefined;
}

/** Fields that each row needs, and the members that an object needs of which some have columns. */
function missingColumns({ fields, required, isPartial = false }: ImportTarget, taken: readonly string[]): ProblemItem[] {
  const has = (name: string) => taken.some((other) => other === name || other.startsWith(`${name}.`));
  const missing = required.filter((name) => !has(name));
  const below = (name: string, { children = new Map<string, FieldModel>() }: FieldModel): string[] =>
    taken.includes(name) || !has(name)
      ? []
      : [...children].flatMap(([member, child]) => {
          const path = `${name}.${member}`;
          return has(path) ? below(path, child) : child.optional || child.hasDefault ? [] : [path];
        });
  const partly = isPartial ? [] : [...fields].flatMap(([name, field]) => (field.kind === "object" ? below(name, field) : []));
  return [...missing, ...partly].map((name) => ({ code: "MISSING_COLUMN", detail: `There is no column "${name}", which is required.` }));
}

function statusOf(problems: readonly ProblemItem[]): number {
  return problems.every(({ code }) => code === "FORBIDDEN_FIELD") ? 403 : 422;
}
