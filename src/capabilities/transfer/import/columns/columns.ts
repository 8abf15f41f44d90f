import { closest } from "../../../../ground/problem/closest.js";
import { type ProblemItem, problemOf } from "../../../../ground/problem/index.js";
import { maxItems } from "../../../../ground/problem/problem.js";
import { quote } from "../../../../ground/problem/quote.js";
import { cut, hintAt } from "../../../../language/query/fault.js";
import type { ReadDay } from "../../../../language/query/values/day.js";
import type { FieldModel } from "../../../../language/schema/field.js";
import { type ReadText, takesEmptyText } from "../../../../language/schema/scalarText.js";
import type { ImportSettings } from "../../settings.js";
import { compileCell } from "./cell.js";
import { MappedPaths } from "./mappedPaths.js";

/** The fields that the columns of a file may set. */
export interface ImportTarget {
  readonly fields: ReadonlyMap<string, FieldModel>;
  /** Names of the fields that every row needs. */
  readonly required: readonly string[];
  /** Rows are patches of existing rows, so that an object may have columns for some of its members only. */
  readonly isPartial?: boolean | undefined;
  /** Why a column with this name cannot be set; `undefined` if there is no such field, or if the principal may not know of it. */
  refuse(name: string): Pick<ProblemItem, "code" | "detail"> | undefined;
}

/**
 * Converts the cells of a row to members. An empty cell without quotes is null if the field is nullable; otherwise the member is missing. An object whose cells are all empty is
 * missing too, unless it is required.
 */
export type ReadRecord = (cells: readonly string[], quotedEmpty: ReadonlySet<number> | undefined) => Record<string, unknown>;

/** The columns that an error report adds. They are skipped, so that a corrected report can be imported. */
export const reportColumns: ReadonlySet<string> = new Set(["_row", "_line", "_code", "_field", "_message"]);

interface Column {
  readonly index: number;
  readonly path: readonly string[];
  /** Whether a cell `""` is the empty text. */
  readonly takesEmpty: boolean;
  readonly isNullable: boolean;
  readonly read: ReadText;
}

interface Columns {
  readonly columns: readonly Column[];
  readonly nestedNullable: readonly Column[];
  /** The paths of the required objects that have columns for their members, outer ones first. */
  readonly requiredObjects: readonly (readonly string[])[];
}

/**
 * Finds the field of each column: by `map`, by its name, or by its name without regard to case. Members of objects have names with dots.
 *
 * @param readDay converts a date without a time, if a date-time is expected
 * @param undo removes the escaping of formulas from names and cells
 * @throws {ProblemError} MISSING_COLUMN, REPEATED_COLUMN, UNKNOWN_COLUMN, FORBIDDEN_FIELD, with all faults of the header
 */
export function compileColumns(
  header: readonly string[],
  target: ImportTarget,
  { map, unknownColumns }: Pick<ImportSettings, "map" | "unknownColumns">,
  readDay: ReadDay,
  undo: (cell: string) => string = (cell) => cell,
): ReadRecord {
  const known = columnFieldsOf(target.fields);
  const problems: ProblemItem[] = [];
  const columns: Column[] = [];
  const mapped = new MappedPaths();
  const titles = header.map(undo);
  for (const [index, title] of titles.entries()) {
    if (reportColumns.has(title)) continue;
    const name = Object.hasOwn(map, title) ? (map[title] ?? title) : title;
    const found = known.exact.get(name) ?? known.folded.get(name.toLowerCase());
    if (found === undefined) {
      const refusal = target.refuse(name);
      // A column that `map` names is never ignored.
      if (unknownColumns === "error" || name !== title || refusal?.code === "FORBIDDEN_FIELD") {
        // A response lists so many problems; for others no similar name is searched.
        problems.push(refusal ?? unknownColumn({ title, name, index }, problems.length < maxItems ? [...known.exact.keys()] : []));
      }
      continue;
    }
    const other = mapped.overlapping(found.path);
    if (other !== undefined) problems.push(repeatedColumn(title, other));
    mapped.add(found.path, title);
    columns.push({ ...found, index, read: readerOf(found.field, readDay, undo) });
  }
  const given = new Set(titles);
  for (const title of Object.keys(map)) if (!given.has(title)) problems.push(unmappedColumn(title));
  problems.push(...missingColumns(target, mapped));
  if (problems.length > 0) throw problemOf(problems[0]?.code ?? "UNKNOWN_COLUMN", problems, { status: statusOf(problems) });
  const nestedNullable = columns.filter(({ path, isNullable }) => isNullable && path.length > 1);
  const all: Columns = { columns, nestedNullable, requiredObjects: requiredObjects(target.fields, mapped) };
  return (cells, quotedEmpty) => readRecord(all, cells, quotedEmpty);
}

/** A field, or a member of an object, that a column can set. */
interface ColumnField {
  readonly path: readonly string[];
  readonly field: FieldModel;
  readonly takesEmpty: boolean;
  readonly isNullable: boolean;
}

function requiredObjects(fields: ReadonlyMap<string, FieldModel>, mapped: MappedPaths, above: readonly string[] = []): (readonly string[])[] {
  return [...fields].flatMap(([name, field]) => {
    const path = [...above, name];
    const where = path.join(".");
    if (field.kind !== "object" || mapped.has(where) || !mapped.reaches(where)) return [];
    const isRequired = !field.optional && !field.nullable && !field.hasDefault;
    return [...(isRequired ? [path] : []), ...requiredObjects(field.children ?? new Map(), mapped, path)];
  });
}

/** Every name that a column may have, exact and in lower case. */
function columnFieldsOf(fields: ReadonlyMap<string, FieldModel>) {
  const exact = new Map<string, ColumnField>();
  const folded = new Map<string, ColumnField | undefined>();
  const add = (path: readonly string[], field: FieldModel) => {
    const name = path.join(".");
    const columnField = { path, field, takesEmpty: takesEmptyText(field), isNullable: field.nullable };
    exact.set(name, columnField);
    // If two names differ only in case, a name in other case is ambiguous and matches neither.
    folded.set(name.toLowerCase(), folded.has(name.toLowerCase()) ? undefined : columnField);
    for (const [member, child] of field.kind === "object" ? (field.children ?? []) : []) add([...path, member], child);
  };
  for (const [name, field] of fields) add([name], field);
  return { exact, folded };
}

function readerOf(field: FieldModel, readDay: ReadDay, undo: (cell: string) => string): ReadText {
  const read = compileCell(field, readDay);
  return (cell) => read(undo(cell));
}

function readRecord(
  { columns, nestedNullable, requiredObjects }: Columns,
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
  for (const path of requiredObjects) setIn(record, path, (known) => known ?? {});
  for (const column of nestedNullable) {
    if ((cells[column.index] ?? "") === "" && !isEmptyText(column, quotedEmpty)) setIn(record, column.path, () => null);
  }
  return record;
}

function isEmptyText({ index, takesEmpty }: Column, quotedEmpty: ReadonlySet<number> | undefined): boolean {
  return takesEmpty && quotedEmpty?.has(index) === true;
}

/** Sets a member, and creates the objects above it. */
function setAt(record: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let parent = record;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const step = path[depth] ?? "";
    if (!Object.hasOwn(parent, step)) parent[step] = {};
    parent = parent[step] as Record<string, unknown>;
  }
  parent[path.at(-1) ?? ""] = value;
}

/** Sets a member if the object above it exists: an object whose members are all empty is left out. */
function setIn(record: Record<string, unknown>, path: readonly string[], make: (known: unknown) => unknown): void {
  let parent: Record<string, unknown> | undefined = record;
  for (const step of path.slice(0, -1)) {
    parent = parent !== undefined && Object.hasOwn(parent, step) ? (parent[step] as Record<string, unknown>) : undefined;
  }
  const name = path.at(-1) ?? "";
  if (parent !== undefined) parent[name] = make(Object.hasOwn(parent, name) ? parent[name] : undefined);
}

/** Required fields without a column, and required members without a column of objects that have columns for other members. */
function missingColumns({ fields, required, isPartial = false }: ImportTarget, mapped: MappedPaths): ProblemItem[] {
  const missing = required.filter((name) => !mapped.reaches(name));
  const below = (name: string, { children = new Map<string, FieldModel>() }: FieldModel): string[] =>
    mapped.has(name) || !mapped.reaches(name)
      ? []
      : [...children].flatMap(([member, child]) => {
          const path = `${name}.${member}`;
          return mapped.reaches(path) ? below(path, child) : child.optional || child.hasDefault ? [] : [path];
        });
  const partly = isPartial ? [] : [...fields].flatMap(([name, field]) => (field.kind === "object" ? below(name, field) : []));
  return [...missing, ...partly].map((name) => ({ code: "MISSING_COLUMN", detail: `The required column "${name}" is missing.` }));
}

function statusOf(problems: readonly ProblemItem[]): number {
  return problems.every(({ code }) => code === "FORBIDDEN_FIELD") ? 403 : 422;
}

/** A column without a field. */
interface UnmappedColumn {
  readonly title: string;
  /** The name that `map` has for it, or the title itself. */
  readonly name: string;
  readonly index: number;
}

/**
 * The fault of a column without a field.
 *
 * @param names the names that columns may have
 */
function unknownColumn({ title, name, index }: UnmappedColumn, names: readonly string[]): ProblemItem {
  if (name === "") return { code: "UNKNOWN_COLUMN", detail: `Column ${index + 1} has no name.` };
  // A line by which a spreadsheet is told the delimiter; the header is in the next.
  if (index === 0 && /^sep=.?$/i.test(title)) return { code: "UNKNOWN_COLUMN", detail: `Remove the line ${quote(title)} before the header.` };
  // The names of a file with another delimiter are one column.
  const [separator] = (index === 0 && /[;|,\t]/.exec(title)) || [];
  const near = closest(name, names) ?? (separator && `delimiter=${separator.replace("\t", "tab")}`);
  const what =
    name === title
      ? `Unknown column ${quote(title)} (column ${index + 1}).`
      : `The column ${quote(title)} is mapped to ${quote(name)}, which is not a field.`;
  return {
    code: "UNKNOWN_COLUMN",
    detail: near === undefined ? what : `${what} Did you mean "${near}"?`,
    allowed: names.slice(0, 100),
    ...hintAt(near),
  };
}

/** The fault of two columns for one field, or for a field and one of its members. */
function repeatedColumn(title: string, other: string): ProblemItem {
  return { code: "REPEATED_COLUMN", detail: `The columns ${quote(other)} and ${quote(title)} set the same field.` };
}

/** The fault of a name in `map` that is not a column of the file. */
function unmappedColumn(title: string): ProblemItem {
  return { code: "MISSING_COLUMN", detail: `The column ${quote(title)} of "map" is missing in the file.`, ...cut({ parameter: `map[${title}]` }) };
}
