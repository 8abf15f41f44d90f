import type { Row } from "../../../src/storage/collection.js";
import type { CollectionModel, ColumnKind } from "../../../src/storage/model.js";
import { objectMaker } from "../../../src/storage/objectMaker.js";
import type { Id } from "../../../src/storage/scalar.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlRow } from "../engine/executor.js";
import { checkIdentifiers, quoteIdentifier } from "./identifier.js";
import { type Shadow, shadowsOf } from "./shadow.js";
import { compileKey, type TableKey } from "./tableKey.js";

/** A column of a table, and how its values are converted for the engine. */
export interface TableColumn {
  readonly name: string;
  readonly quoted: string;
  readonly kind: ColumnKind;
  encode(value: unknown): unknown;
  decode(stored: unknown): unknown;
}

/** A collection as a SQL table: everything that statements need from its model, computed once. */
export interface Table {
  readonly model: CollectionModel;
  readonly dialect: Dialect;
  readonly quoted: string;
  readonly id: TableColumn;
  readonly version: TableColumn;
  readonly updatedAt: TableColumn;
  readonly columns: ReadonlyMap<string, TableColumn>;
  readonly shadows: readonly (Shadow & { readonly quoted: string })[];
  readonly keys: readonly TableKey[];
  /** Whether integers of this table must be read as `bigint`. */
  readonly bigints: boolean;
  /** The columns of a complete row, for `select` and `returning`. */
  readonly rowColumns: readonly TableColumn[];
  /** The table of another collection of the same store. */
  tableOf(model: CollectionModel): Table;
  decodeRow(stored: SqlRow): Row;
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
): Table {
  const shadows = shadowsOf(model).map((shadow) => ({ ...shadow, quoted: quoteIdentifier(shadow.name) }));
  const names = [...reservedColumns, ...model.columns, ...shadows].map(({ name }) => name);
  checkIdentifiers(model.name, names);
  const columns = new Map(model.columns.map(({ name, kind }) => [name, tableColumn(name, kind, dialect)]));
  const id = columns.get(model.id);
  if (id === undefined) throw new Error(`${model.name}: the columns do not include the id "${model.id}".`);
  const version = tableColumn("_version", "text", dialect);
  const updatedAt = tableColumn("_updatedAt", "datetime", dialect);
  const rowColumns = [...columns.values(), version, updatedAt];
  return {
    model,
    dialect,
    quoted: quoteIdentifier(model.name),
    id,
    version,
    updatedAt,
    columns,
    shadows,
    keys: model.unique.map((key) => compileKey(model.name, key, columns)),
    bigints: model.columns.some(({ kind }) => kind === "bigint"),
    rowColumns,
    tableOf,
    decodeRow: (stored) => decodeColumns(rowColumns, stored),
  };
}

/** Decodes the given columns of a stored row. */
export function decodeColumns(columns: readonly TableColumn[], stored: SqlRow): Row {
  return decoderOf(columns)(stored);
}

const decoders = new WeakMap<readonly TableColumn[], (stored: SqlRow) => Row>();

function decoderOf(columns: readonly TableColumn[]): (stored: SqlRow) => Row {
  const known = decoders.get(columns);
  if (known !== undefined) return known;
  const decode = objectMaker(columns.map((column) => ({ name: column.name, convert: column.decode }))) as (stored: SqlRow) => Row;
  decoders.set(columns, decode);
  return decode;
}

/** @throws {Error} if the collection has no such column; names come from the schema, so this is a bug of the caller */
export function columnOf(table: Table, name: string): TableColumn {
  const column = table.columns.get(name) ?? [table.version, table.updatedAt].find((reserved) => reserved.name === name);
  if (column === undefined) throw new Error(`${table.model.name}: the column "${name}" does not exist.`);
  return column;
}

export function idOf(table: Table, row: Row): Id {
  return row[table.id.name] as Id;
}

function tableColumn(name: string, kind: ColumnKind, dialect: Dialect): TableColumn {
  return { name, quoted: quoteIdentifier(name), kind, encode: (value) => dialect.encode(kind, value), decode: dialect.decode(kind) };
}
