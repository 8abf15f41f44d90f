import type { TableOptions } from "../../../../src/ground/storage/tableOptions.js";
import type { Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import { fittingName, placeName, quoteIdentifier } from "../schema/identifier.js";
import type { TableColumn } from "../schema/table.js";
import type { Catalog, CatalogColumn } from "./catalog.js";
import { type ColumnType, Unreadable } from "./columnType.js";
import type { Leaf } from "./leaves.js";
import type { MappedEngine } from "./mappedEngine.js";
import { nesting } from "./nested.js";

/** A column of a table of the developer, and the value of a row that it contains. */
export interface MappedColumn extends TableColumn {
  readonly leaf: Leaf;
  /** The quoted name of the column in the database. */
  readonly source: string;
  readonly type: ColumnType;
  readonly declared: CatalogColumn;
}

/** The quoted name of a table, with its schema if the mapping names one. */
export function quotedName({ name }: TableOptions): string {
  return typeof name === "string" ? quoteIdentifier(name) : `${quoteIdentifier(name.schema)}.${quoteIdentifier(name.name)}`;
}

/** @throws {Error} if the column is missing, or of a type that the field cannot have */
export function mappedColumn(collection: string, leaf: Leaf, catalog: Catalog, engine: MappedEngine, options: TableOptions): MappedColumn {
  const declared = catalog.columns.get(leaf.column);
  const type = declared && engine.typeOf(leaf, declared, options);
  if (declared === undefined || type === undefined) throw new Error(`${collection}: the column "${leaf.column}" is missing or of another type.`);
  const source = quoteIdentifier(leaf.column);
  const name = fittingName(placeName(leaf.path));
  const alias = quoteIdentifier(name);
  const { kind } = leaf.field;
  const place = (column: string) => placeOf(type, column, options);
  return {
    ...{ leaf, source, stored: source, type, declared, name, alias, kind },
    quoted: place(source),
    ordered: place(`${quotedName(options)}.${source}`),
    selected: `${type.read(source)} as ${alias}`,
    isNullable: declared.isNullable || hidesUnreadable(type, options),
    text: kind === "text" ? type.text?.(source) : undefined,
    sortKey: type.sortKey && shown(type, type.sortKey(source), source, options),
    valued: hidesUnreadable(type, options) ? `${place(source)} is not null` : type.valued?.(source),
    present: type.present && shown(type, type.present(source), source, options),
    isFine: type.isFine,
    joined: joinedColumn(type, source, declared, catalog, engine),
    ...(leaf.above.length > 0 && { nesting }),
    ...(type.contains !== undefined && { contains: (value, bindings) => writeContained(type, source, value, bindings, options) }),
    item: (expression) => (type.compare ?? type.write)(expression),
    encode: (value) => (value === null || value === undefined ? null : type.encode(value)),
    decode: readable(collection, leaf, type, options),
    accepts: (value) => value !== null && type.accepts(value),
    comparable: (value, bindings) => writeCompared(type, value, bindings),
  };
}

function joinedColumn({ read, joinedAs }: ColumnType, source: string, declared: CatalogColumn, catalog: Catalog, engine: MappedEngine) {
  // Without a group, it is like no other column.
  if (joinedAs !== undefined) return { source, group: joinedAs.group ?? `${catalog.identity ?? catalog.name} ${source}`, text: joinedAs.text };
  return engine.groupOf && { source, group: engine.groupOf(declared), text: read };
}

/** Whether values that the field cannot hold are null in filters and orders too: a cursor would otherwise not find its row. */
export function hidesUnreadable(type: ColumnType, { unreadable }: TableOptions): boolean {
  return unreadable === "null" && type.readable !== undefined;
}

function placeOf(type: ColumnType, column: string, options: TableOptions): string {
  return shown(type, type.place(column), column, options);
}

/** An expression of a column; null where the field cannot hold its value, and reads null. */
function shown(type: ColumnType, expression: string, column: string, options: TableOptions): string {
  return hidesUnreadable(type, options) ? `case when ${type.readable?.(column)} then ${expression} end` : expression;
}

function writeContained(type: ColumnType, column: string, value: Scalar, bindings: Bindings, options: TableOptions): string {
  const contained = type.contains?.(column, value, bindings) ?? "false";
  return hidesUnreadable(type, options) ? `(${contained} and ${type.readable?.(column)})` : contained;
}

function writeCompared(type: ColumnType, value: Scalar, bindings: Bindings): string | undefined {
  if (value === null) return undefined;
  if (!type.accepts(value)) return type.beyond?.(value, bindings);
  return (type.compare ?? type.write)(bindings.bind(type.encode(value)));
}

/** A value that the field cannot hold is a fault of the mapping, not of the client. */
function readable(collection: string, { path, column }: Leaf, type: ColumnType, options: TableOptions): TableColumn["decode"] {
  return (stored) => {
    try {
      return type.decode(stored);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      if (options.unreadable === "null") return null;
      const field = path.join(".");
      const unreadable = new Unreadable(
        `${collection}: "${field}" cannot be read from the column "${column}" of the table ${quotedName(options)}: ${error.message}.`,
        { cause: error },
      );
      throw Object.assign(unreadable, { field });
    }
  };
}

/** A text that a statement computes. */
export function computedColumn(name: string, expression: string): TableColumn {
  const alias = quoteIdentifier(name);
  return {
    ...{ name, alias, quoted: expression, selected: `${expression} as ${alias}`, kind: "text", isComputed: true, isNullable: false },
    encode: (value) => value,
    decode: String,
    accepts: (value) => typeof value === "string",
    comparable: (value, bindings) => (typeof value === "string" ? bindings.bind(value) : undefined),
  };
}

/** Of an object whose members have columns: null where all of them are. It has no value that could be compared. */
export function groupColumn(members: readonly MappedColumn[]): TableColumn {
  const quoted = `case when ${members.map(({ source }) => `${source} is not null`).join(" or ")} then 1 end`;
  return { ...computedColumn("_object", quoted), kind: "json", isNullable: true, comparable: () => undefined };
}

/** The columns that a write changes beside those of the fields: they belong to the values of a row that its version is made from. @throws {Error} if one is missing */
export function unmappedColumns(
  columns: readonly MappedColumn[],
  { softDelete, updatedAt }: TableOptions,
  catalog: Pick<Catalog, "columns">,
): CatalogColumn[] {
  const changed = typeof updatedAt === "object" ? updatedAt.name : updatedAt;
  const others = [softDelete?.column, changed].filter((name) => name !== undefined);
  const unmapped = others.filter((name) => !columns.some(({ leaf }) => leaf.column === name));
  return unmapped.map((name) => {
    const declared = catalog.columns.get(name);
    if (declared === undefined) throw new Error(`The column "${name}" is missing.`);
    return declared;
  });
}
