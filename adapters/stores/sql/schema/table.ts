import type { Row } from "../../../../src/ground/storage/collection.js";
import type { CollectionModel, Column, ColumnKind } from "../../../../src/ground/storage/model.js";
import { decimalText } from "../../../../src/ground/storage/values/decimal.js";
import { fold } from "../../../../src/ground/storage/values/fold.js";
import type { Id, Path, Scalar, Version } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlRow } from "../engine/executor.js";
import { type PlanNames, termsOf } from "../query/longReads/planNames.js";
import { decodeColumns } from "./decodeColumns.js";
import { checkIdentifiers, quoteIdentifier } from "./identifier.js";
import { type MissingKeys, missingIn, orMissing } from "./missing.js";
import { foldName, type Shadow, shadowsOf } from "./shadow.js";
import { storedPath } from "./storedPath.js";
import { compileKey, type TableKey } from "./tableKey.js";

/** A column of a table, and how its values are converted for the engine. */
export interface TableColumn {
  /** The key of its value in the rows of a statement. */
  readonly name: string;
  /** Its expression in conditions and orders. */
  readonly quoted: string;
  /** Its expression in orders, if `quoted` would name a value of the `select` that has the same name. */
  readonly ordered?: string | undefined;
  /** Its expression in the list of a `select` or `returning`, which gives it its name. */
  readonly selected: string;
  /** The quoted name of its column in the database, if it is one. */
  readonly stored?: string | undefined;
  /** The quoted name of the column of the database, if that is all that `selected` is computed from. */
  readonly source?: string | undefined;
  /** Its quoted name in the rows of a statement. */
  readonly alias: string;
  readonly kind: ColumnKind;
  /** Its value in a row that was stored without it, from the others. */
  readonly backfill?: ((row: Row) => unknown) | undefined;
  /** Whether the engine computes it from other columns. */
  readonly isComputed?: boolean | undefined;
  /** How it is made from a stored row, if the engine does not compute all of it. */
  readonly made?: MadeColumn | undefined;
  /** Whether it may be null, so that an order says where nulls come. */
  readonly isNullable: boolean;
  /** The expression whose code points are in its order, if its collation compares otherwise. */
  readonly sortKey?: string | undefined;
  /** The condition "it has a value", if an index needs another form than that of its kind. */
  readonly valued?: string | undefined;
  /** The condition "it has a value", if it may hold one that is read as null. */
  readonly present?: string | undefined;
  /** Its expression as text in the order of code points, if its type or collation compares otherwise. */
  readonly text?: string | undefined;
  /** How it is compared with a column of another table, if its type may be one that the engine does not compare with the type of its kind. */
  readonly joined?: JoinedColumn | undefined;
  /** The expression of an item of a list of texts or integers, of the type of the column, if engines do not compare the two as they are. */
  item?(expression: string): string;
  /** Of a member of an object: puts the objects of a row together, from the values of these columns. */
  nesting?(columns: readonly TableColumn[]): (flat: Row) => Row;
  /** Whether it distinguishes instants within a millisecond. */
  readonly isFine?: boolean | undefined;
  /** The columns of a composite id, which has none of its own. */
  readonly parts?: readonly TableColumn[] | undefined;
  /** The condition "it has an element with this value", of an array that is not JSON. */
  contains?(value: Scalar, bindings: Bindings): string;
  /** The condition "it is one of these", of a composite id. */
  listed?(values: readonly Scalar[], bindings: Bindings): string;
  /** Of an id: adds to an error of decoding which row it is. */
  locate?(error: unknown, stored: SqlRow): void;
  encode(value: unknown): unknown;
  decode(stored: unknown): unknown;
  /** Whether the column can contain the value: engines would reject a comparison with any other. */
  accepts(value: Scalar): boolean;
  /** The parameter that a filter compares the column with; `undefined` if no value of the column can equal the value. */
  comparable(value: Scalar, bindings: Bindings): string | undefined;
}

/** A value that is made from those of other columns, as they are stored. */
export interface MadeColumn {
  /** The same column for rows that lack others: it selects all that it is made from. */
  readonly alone?: TableColumn | undefined;
  ofRow(stored: SqlRow): unknown;
}

/** A column in a comparison of two tables. */
export interface JoinedColumn {
  /** Its quoted name in the database. */
  readonly source: string;
  /** The engine compares columns of one group with each other. */
  readonly group: string;
  /** The expression of the canonical text of the column. */
  text(column: string): string;
}

/** A value of a row: a column, and the keys inside it if it contains JSON. */
export interface TablePlace {
  readonly column: TableColumn;
  readonly keys: readonly string[];
  /** What rows that lack it, or an object above it, have in its place. */
  readonly missing?: readonly MissingKeys[] | undefined;
}

/** A collection as a SQL table: everything that reading statements need from its model, computed once. */
export interface Table {
  readonly model: CollectionModel;
  readonly dialect: Dialect;
  readonly quoted: string;
  readonly id: TableColumn;
  readonly version: TableColumn;
  /** The instant of the last write, if the table has it. */
  readonly updatedAt: TableColumn | undefined;
  /** The terms of a query plan of SQLite that finds a row by its id (`rowid=?` where the id is the row id), then those by other keys. */
  readonly keyTerms: readonly (readonly string[])[];
  /** A name of SQLite's row id that is not the name of a column, or the expression of the id (of a composite one, of its parts as JSON) if there is none; `undefined` if columns hide all names. */
  readonly rowid: string | undefined;
  /** Whether `rowid` is the id, as in a table without a row id. */
  readonly isRowidId?: boolean | undefined;
  /** How query plans of SQLite name it. */
  readonly plan: PlanNames;
  /** Its unique keys, if their index is on shadow columns for text. */
  readonly keys?: readonly TableKey[];
  /** The column of the versions that another release made of rows, from fewer columns; `undefined` if the version is none of them. */
  readonly earlier?: ((version: Version) => TableColumn | undefined) | undefined;
  /** Whether integers of this table must be read as `bigint`. */
  readonly bigints: boolean;
  /** The columns of a complete row, for `select` and `returning`. */
  readonly rowColumns: readonly TableColumn[];
  /** @throws {Error} if the collection has no such column; names come from the schema, so this is a bug of the caller */
  at(path: Path): TablePlace;
  /** The columns that contain the value at a path. */
  columnsOf(path: Path): readonly TableColumn[];
  /**
   * The condition "the row is one of this tenant".
   *
   * @param from the quoted name of the table, where a statement has several
   */
  ofTenant(tenant: string, bindings: Bindings, from?: string): string;
  /** The part of this condition that says whose a row is; the other part is about deleted rows. Without it, all of it. */
  ofTenantOnly?(tenant: string, bindings: Bindings, from?: string): string;
  /** The expression of the folded text at a path. @throws {Error} if it cannot be compared case-insensitively */
  folded(path: Path): string;
  /** A text as `folded` folds those at a path. */
  fold(path: Path, text: string): string;
  /** Whether an index may begin with the value at a path, after the tenant. */
  isIndexed(path: Path): boolean;
  /** The paths that the `search` operator searches. */
  readonly searchable: readonly Path[];
  /** The table of another collection of the same store. */
  tableOf(model: CollectionModel): Table;
  decodeRow(stored: SqlRow): Row;
}

/** A column of a table that this library created. */
export interface OwnColumn extends TableColumn {
  readonly stored: string;
}

/** A table that this library created. */
export interface OwnTable extends Table {
  /** The name in the database, without the schema. */
  readonly name: string;
  readonly version: OwnColumn;
  readonly updatedAt: OwnColumn;
  readonly columns: ReadonlyMap<string, OwnColumn>;
  readonly shadows: readonly (Shadow & { readonly quoted: string })[];
  readonly keys: readonly TableKey[];
}

/** The columns that every table has in addition to those of its model. */
export const reservedColumns: readonly { readonly name: string; readonly kind: ColumnKind }[] = [
  { name: "_tenant", kind: "text" },
  { name: "_version", kind: "text" },
  { name: "_updatedAt", kind: "datetime" },
  { name: "_operationId", kind: "text" },
];

/**
 * @param tableOf gives the tables of other collections
 * @throws {Error} if a name is invalid in an engine or used twice
 */
export function compileTable(
  model: CollectionModel,
  dialect: Dialect,
  tableOf: Table["tableOf"] = (other) => compileTable(other, dialect, tableOf),
): OwnTable {
  const shadows = shadowsOf(model).map((shadow) => ({ ...shadow, quoted: quoteIdentifier(shadow.name) }));
  const stored = model.columns.map(({ name, storedAs = name }) => storedAs);
  const name = dialect.place.nameOf(model.name);
  checkIdentifiers(model.name, name, [...reservedColumns.map((column) => column.name), ...stored, ...shadows.map((shadow) => shadow.name)]);
  const columns = new Map(model.columns.map((column) => [column.name, tableColumn(column, dialect)]));
  const id = columns.get(model.id);
  if (id === undefined) throw new Error(`${model.name}: the columns do not include the id "${model.id}".`);
  const version = tableColumn({ name: "_version", kind: "text" }, dialect);
  const updatedAt = tableColumn({ name: "_updatedAt", kind: "datetime" }, dialect);
  const rowColumns = [...columns.values(), version, updatedAt];
  const keys = model.unique.map((key) => compileKey(model, key, columns));
  const indexed = new Set([model.id, ...model.unique.map(({ fields }) => fields[0]), ...model.indexes.map(([first]) => first?.[0])]);
  const foldedNames = new Set(shadows.map(({ name }) => name));
  const missingAt = missingIn(model);
  const at: Table["at"] = ([name, ...keys]) => {
    const column = columns.get(name) ?? [version, updatedAt].find((reserved) => reserved.name === name);
    if (column === undefined) throw new Error(`${model.name}: the column "${name}" does not exist.`);
    return { column, keys, missing: missingAt([name, ...keys], 1) };
  };
  return {
    model,
    dialect,
    name,
    quoted: dialect.place.quote(model.name),
    id,
    version,
    updatedAt,
    columns,
    shadows,
    keys,
    keyTerms: [
      model.idFrom === "store" ? ["rowid=?"] : [`${model.id}=?`, "_tenant=?"],
      // Keys of text only: other columns may also be searched for nulls, of which there may be many.
      ...keys.flatMap(({ fields, texts }) => (texts.length < fields.length ? [] : [[...texts.map(({ name }) => `${name}=?`), "_tenant=?"]])),
    ],
    rowid: rowidOf(stored),
    plan: {
      table: name,
      scope: ["_tenant=?"],
      covers: (line) => termsOf(line).includes("_tenant=?"),
      columnOf: (path) => storedPath(model, path)[0],
    },
    bigints: model.columns.some(({ kind }) => kind === "bigint"),
    rowColumns,
    at,
    columnsOf: (path) => [at(path).column],
    ofTenant: (tenant, bindings, from) => `${from === undefined ? "" : `${from}.`}"_tenant" = ${bindings.bind(tenant)}`,
    folded(path) {
      const folded = foldName(storedPath(model, path));
      if (!foldedNames.has(folded)) throw notFolded(model.name, path);
      return orMissing(dialect, at(path), quoteIdentifier(folded), (text) => fold(text));
    },
    fold: (_path, text) => fold(text),
    isIndexed: ([name]) => indexed.has(name),
    searchable: model.searchable.filter((path) => foldedNames.has(foldName(storedPath(model, path)))),
    tableOf,
    decodeRow: (stored) => decodeColumns(rowColumns, stored),
  };
}

/** Whether an id column can contain the value: one of another type, or beyond 64 bits, it cannot. */
function isStorable(kind: ColumnKind, value: Scalar): boolean {
  if (kind === "text") return typeof value === "string";
  return typeof value === "bigint" ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
}

/** @param names of the columns */
export function rowidOf(names: readonly string[]): string | undefined {
  const used = new Set(names.map((name) => name.toLowerCase()));
  return ["rowid", "_rowid_", "oid"].find((each) => !used.has(each));
}

function notFolded(collection: string, path: Path): Error {
  const remedy = path.length === 1 ? `set "fold: true" on the column` : `add the path to "folded"`;
  return new Error(`${collection}: "${path.join(".")}" cannot be compared case-insensitively because its folded text is not stored; ${remedy}.`);
}

export function idOf(table: Table, row: Row): Id {
  return row[table.id.name] as Id;
}

function tableColumn({ name, kind, digits, storedAs = name, backfill }: Column, dialect: Dialect): OwnColumn {
  const stored = quoteIdentifier(storedAs);
  const alias = quoteIdentifier(name);
  const decode = dialect.decode(kind);
  return {
    ...{
      name,
      stored,
      quoted: dialect.compared(kind, stored),
      selected: storedAs === name ? stored : `${stored} as ${alias}`,
      alias,
      kind,
      backfill,
    },
    isNullable: true,
    encode: (value) => dialect.encode(kind, value),
    decode: digits === undefined ? decode : (stored) => decimalText(String(decode(stored)), digits.scale),
    accepts: (value) => isStorable(kind, value),
    comparable: (value, bindings) => dialect.comparable(kind, value, bindings),
  };
}
