import type { NewRow, RowPatch } from "../../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { Id } from "../../../../../src/ground/storage/values/scalar.js";
import { Bindings } from "../../engine/bindings.js";
import type { SqlStatement } from "../../engine/executor.js";
import { columnList, writeId } from "../../query/select.js";
import { writeWhere } from "../../query/where.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import type { TableColumn } from "../../schema/table.js";
import { readPath, type Values } from "../../schema/values.js";
import { Unfit } from "../columnType.js";
import type { MappedColumn } from "../mappedColumn.js";
import type { MappedSqlTable } from "../mappedTable.js";

/** The value of a field does not fit its column. */
export class UnfitField extends Error {
  readonly field: string;
  readonly unfit: Unfit;

  constructor(field: string, unfit: Unfit) {
    super(unfit.message, { cause: unfit });
    this.field = field;
    this.unfit = unfit;
  }
}

const returnedLists = new WeakMap<MappedSqlTable, string>();

/**
 * The columns of a written row. A value that the database made and its field cannot hold fails the statement, if the engine can: the row would be written, and no list
 * with it could be read.
 */
function returnedList(table: MappedSqlTable): string {
  let list = returnedLists.get(table);
  if (list === undefined) {
    list = table.rowColumns.map((column) => returned(table, column)).join(", ");
    returnedLists.set(table, list);
  }
  return list;
}

function returned({ mapped, options, engine, catalog }: MappedSqlTable, column: TableColumn): string {
  const number = mapped.indexOf(column as MappedColumn);
  const { type, source, declared, alias, selected } = column as MappedColumn;
  const { onInsert = false, onUpdate = false } = catalog.triggers ?? {};
  if (number < 0 || engine.failing === undefined || options.unreadable === "null") return selected;
  if (declared.isNumbered || !(declared.hasDefault || declared.generated !== "no" || onInsert || onUpdate)) return selected;
  const faults = [type.readable && `(${type.readable(source)}) is false`, type.unreadable?.(source)].filter((fault) => fault !== undefined);
  if (faults.length === 0) return selected;
  const text = type.read(source);
  return `case when ${faults.join(" or ")} then ${engine.failing(number, text)} else ${text} end as ${alias}`;
}

/** Writes what must hold of a row beside its id. */
export type WriteCondition = (bindings: Bindings) => string;

/** Inserts one row and returns it. Columns without a value are left to the database. @throws {UnfitField} */
export function insertStatement(table: MappedSqlTable, row: NewRow, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const values = insertedValues(table, row, tenant, bindings);
  const into = values.size === 0 ? "default values" : `(${[...values.keys()].join(", ")}) values (${[...values.values()].join(", ")})`;
  return writing(`insert${table.dialect.orAbort} into ${table.quoted} ${into} returning ${returnedList(table)}`, bindings);
}

/** Inserts rows and returns them, in any order. @throws {UnfitField} */
export function insertManyStatement(table: MappedSqlTable, rows: readonly NewRow[], tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const inputs = rows.map((row) => insertedValues(table, row, tenant, bindings));
  const columns = [...new Set(inputs.flatMap((values) => [...values.keys()]))];
  if (columns.length === 0) throw new Error(`${table.model.name}: rows without values cannot be inserted together.`);
  const values = inputs.map((input) => `(${columns.map((column) => input.get(column) ?? "default").join(", ")})`);
  const text = `insert${table.dialect.orAbort} into ${table.quoted} (${columns.join(", ")}) values ${values.join(", ")} returning ${returnedList(table)}`;
  return { ...writing(text, bindings), returns: "many" };
}

/** The expressions of the values of a new row, by their columns. */
function insertedValues(table: MappedSqlTable, row: NewRow, tenant: string, bindings: Bindings): Map<string, string> {
  const values = new Map<string, string>();
  const add = (source: string, value: string) => {
    if (!values.has(source)) values.set(source, value);
  };
  addTenant(table, tenant, bindings, add);
  for (const column of table.mapped) {
    const value = readPath(row, column.leaf.path);
    if (
      column.declared.generated === "always" ||
      isKeptByUs(table, column) ||
      (isAbsent(value) && (column.declared.hasDefault || value === undefined))
    )
      continue;
    add(column.source, column.type.write(bindings.bind(encoded(column, value))));
  }
  addVersion(table, add);
  addUpdatedAt(table, row, bindings, (source, write) => {
    if (!values.has(source)) values.set(source, write());
  });
  return values;
}

/** How an update changes a row. */
interface UpdateParts {
  readonly replace: boolean;
  readonly condition: WriteCondition | undefined;
  /** Columns that stay as they are. */
  readonly kept: readonly MappedColumn[];
}

/**
 * Changes one row and returns it.
 *
 * @throws {UnfitField}
 */
export function updateStatement(
  table: MappedSqlTable,
  { id, tenant }: { readonly id: Id; readonly tenant: string },
  patch: RowPatch,
  { replace, condition, kept }: UpdateParts,
): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const assignments = writeAssignments(table, patch, replace, bindings, kept);
  const where = writeKeyAnd(table, id, tenant, condition, bindings);
  return writing(updateText(table, assignments, where), bindings);
}

const updateTexts = new WeakMap<MappedSqlTable, Map<string, string>>();
const maxTexts = 256;

/** Drivers find a prepared statement sooner by the same string than by an equal one. */
function updateText(table: MappedSqlTable, assignments: string, where: string): string {
  const texts = updateTexts.get(table) ?? new Map<string, string>();
  updateTexts.set(table, texts);
  const parts = `${assignments} where ${where}`;
  let text = texts.get(parts);
  if (text === undefined) {
    text = `update${table.dialect.orAbort} ${table.quoted} set ${parts} returning ${returnedList(table)}`;
    if (texts.size >= maxTexts) texts.clear();
    texts.set(parts, text);
  }
  return text;
}

/** Changes all rows that match. @throws {UnfitField} */
export function updateManyStatement(table: MappedSqlTable, filter: Filter | undefined, patch: RowPatch, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const assignments = writeAssignments(table, patch, false, bindings, []);
  return {
    ...writing(`update${table.dialect.orAbort} ${table.quoted} set ${assignments}${writeWhere(filter, tenant, table, bindings)}`, bindings),
    returns: "none",
  };
}

/** Removes one row, or marks it as deleted, and returns it as it was. */
export function removeStatement(table: MappedSqlTable, id: Id, tenant: string, condition: WriteCondition | undefined): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const deletion = deletionOf(table);
  const where = writeKeyAnd(table, id, tenant, condition, bindings);
  const action = deletion === undefined ? `delete from ${table.quoted}` : `update${table.dialect.orAbort} ${table.quoted} set ${deletion}`;
  return writing(`${action} where ${where} returning ${columnList(table)}`, bindings);
}

/** Reads a row that is about to be written. */
export function selectWritten(table: MappedSqlTable, id: Id, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  return writing(`select ${columnList(table)} from ${table.quoted} where ${writeId(table, id, tenant, bindings)}`, bindings);
}

/** Removes all rows that match. */
export function removeManyStatement(table: MappedSqlTable, filter: Filter | undefined, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const deletion = deletionOf(table);
  const action = deletion === undefined ? `delete from ${table.quoted}` : `update${table.dialect.orAbort} ${table.quoted} set ${deletion}`;
  return { ...writing(`${action}${writeWhere(filter, tenant, table, bindings)}`, bindings), returns: "none" };
}

function writing(text: string, { values }: Bindings): SqlStatement {
  return { text, values, writes: true, returns: "one", bigints: true };
}

function encoded(column: MappedColumn, value: unknown): unknown {
  try {
    return column.encode(value);
  } catch (error) {
    if (error instanceof Unfit) throw new UnfitField(column.leaf.path.join("."), error);
    throw error;
  }
}

/** Whether a field shows a column that says whose a row is, or whether it is deleted: no write sets it. */
function isKeptByUs({ tenant, options }: MappedSqlTable, { leaf, source }: MappedColumn): boolean {
  return source === tenant?.source || leaf.column === options.softDelete?.column;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function addTenant(table: MappedSqlTable, tenant: string, bindings: Bindings, add: (source: string, value: string) => void): void {
  if (table.tenant === undefined || tenant === "") return;
  const { source, type } = table.tenant;
  add(source, type.write(bindings.bind(type.encode(tenant))));
}

/** An integer version begins with the default of its column, or with 1. */
function addVersion({ options, catalog, engine }: MappedSqlTable, add: (source: string, value: string) => void): void {
  const { version } = options;
  if (typeof version !== "object" || version.by === "trigger") return;
  const declared = catalog.columns.get(version.column);
  if (declared === undefined || declared.hasDefault) return;
  add(quoteIdentifier(version.column), isInstant(declared.type) ? engine.now : "1");
}

/** A value is bound only if it is used: PostgreSQL refuses a parameter that no expression has. */
function addUpdatedAt(table: MappedSqlTable, row: Values, bindings: Bindings, add: (source: string, write: () => string) => void): void {
  const { updatedAt } = table;
  if (updatedAt === undefined || row["_updatedAt"] === undefined) return;
  const column = updatedAt as MappedColumn;
  if (column.declared.generated === "always") return;
  add(column.source, () => column.type.write(bindings.bind(updatedAt.encode(row["_updatedAt"]))));
}

/** The id never changes, nor what the database makes. */
function writeAssignments(table: MappedSqlTable, patch: RowPatch, replace: boolean, bindings: Bindings, kept: readonly MappedColumn[]): string {
  const assigned = new Map<string, string>();
  for (const column of table.mapped) {
    const { leaf, declared, source } = column;
    if (isId(table, column) || declared.generated === "always" || isKeptByUs(table, column) || kept.includes(column)) continue;
    const isGiven = Object.hasOwn(patch, leaf.path[0]);
    if (!isGiven && !(replace && leaf.field.madeBy !== "database")) continue;
    const value = readPath(patch, leaf.path);
    // A value that the database makes is kept, unless the write sets it.
    if (leaf.field.madeBy === "database" && value === undefined) continue;
    assigned.set(source, writeValue(table, column, value, bindings));
  }
  if (table.restored !== undefined) assigned.set(table.restored.source, table.restored.unmarked);
  const version = nextVersion(table);
  if (version !== undefined) assigned.set(version.source, version.value);
  addUpdatedAt(table, patch, bindings, (source, write) => {
    if (!assigned.has(source)) assigned.set(source, write());
  });
  if (assigned.size === 0) {
    const [{ source }] = (table.id.parts ?? [table.id]) as [MappedColumn];
    assigned.set(source, source);
  }
  return [...assigned].map(([source, value]) => `${source} = ${value}`).join(", ");
}

function isId({ id }: MappedSqlTable, column: MappedColumn): boolean {
  return column === id || id.parts?.includes(column) === true;
}

/** The columns to which a write of a row sends null, and whose value may be hidden in a way that no expression of the engine tells. */
export function mayBeHidden({ options, mapped }: MappedSqlTable, patch: RowPatch, replace: boolean): readonly MappedColumn[] {
  if (options.unreadable !== "null") return [];
  return mapped.filter(({ leaf }) => {
    const isWritten = replace || Object.hasOwn(patch, leaf.path[0]);
    return leaf.field.otherForm !== undefined && isWritten && isAbsent(readPath(patch, leaf.path));
  });
}

function writeValue({ options }: MappedSqlTable, column: MappedColumn, value: unknown, bindings: Bindings): string {
  const { source, type } = column;
  const written = () => type.write(bindings.bind(encoded(column, value)));
  // What is shown as null, and sent back as null, stays as it is.
  if (isAbsent(value) && options.unreadable === "null") {
    const holds = [type.readable?.(source), type.unreadable && `not ${type.unreadable(source)}`].filter((condition) => condition !== undefined);
    if (holds.length > 0) return `case when ${holds.join(" and ")} then ${written()} else ${source} end`;
  }
  const same = type.same?.(source, written, value);
  if (same === undefined) return written();
  return `case when ${same} then ${source} else ${type.kept?.(source, written()) ?? written()} end`;
}

/** What marks a row as deleted; `undefined` if rows are removed. */
function deletionOf(table: MappedSqlTable): string | undefined {
  if (table.deletion === undefined) return undefined;
  const version = nextVersion(table);
  const deletion = `${table.deletion.source} = ${table.deletion.marked}`;
  return version === undefined ? deletion : `${deletion}, ${version.source} = ${version.value}`;
}

/** The column that each write of this library changes. `now()` would be the same for all writes of a transaction. */
function nextVersion({ options, catalog, engine }: MappedSqlTable): { readonly source: string; readonly value: string } | undefined {
  const { version } = options;
  if (typeof version !== "object" || version.by === "trigger") return undefined;
  const source = quoteIdentifier(version.column);
  const isTime = isInstant(catalog.columns.get(version.column)?.type ?? "");
  return { source, value: isTime ? `greatest(${engine.now}, ${source} + interval '1 microsecond')` : `${source} + 1` };
}

function isInstant(type: string): boolean {
  return /^(?:timestamp|date)/i.test(type);
}

function writeKeyAnd(table: MappedSqlTable, id: Id, tenant: string, condition: WriteCondition | undefined, bindings: Bindings): string {
  const key = writeId(table, id, tenant, bindings);
  return condition === undefined ? key : `${key} and ${condition(bindings)}`;
}
