import type { Row } from "../../../../src/ground/storage/collection.js";
import type { CollectionModel, MappedTable } from "../../../../src/ground/storage/model.js";
import type { TableOptions } from "../../../../src/ground/storage/tableOptions.js";
import { fold } from "../../../../src/ground/storage/values/fold.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { SqlRow } from "../engine/executor.js";
import type { PlanNames } from "../query/longReads/planNames.js";
import { decodeColumns } from "../schema/decodeColumns.js";
import { quoteIdentifier } from "../schema/identifier.js";
import { missingIn, orMissing } from "../schema/missing.js";
import type { Table, TableColumn, TablePlace } from "../schema/table.js";
import type { Catalog } from "./catalog.js";
import { type ColumnType, Unreadable } from "./columnType.js";
import { compositeColumn, withCompositeId } from "./compositeId.js";
import { compileDeletion, type Deletion } from "./deletion.js";
import { leavesOf } from "./leaves.js";
import { groupColumn, type MappedColumn, mappedColumn, quotedName } from "./mappedColumn.js";
import type { MappedEngine, RowVersion } from "./mappedEngine.js";
import { mappedPlan } from "./mappedPlan.js";

/** A table of the developer: its columns as the database declares them, and the rules of its mapping. */
export interface MappedSqlTable extends Table {
  readonly options: TableOptions;
  readonly catalog: Catalog;
  readonly mapped: readonly MappedColumn[];
  readonly engine: MappedEngine;
  readonly unchanged: RowVersion["unchanged"];
  /** The column of the tenant, if the table has one. */
  readonly tenant: { readonly source: string; readonly type: ColumnType } | undefined;
  /** How rows are deleted, if they are kept. */
  readonly deletion: Deletion | undefined;
  /** The deletion that an update undoes. */
  readonly restored?: Deletion | undefined;
}

/**
 * Compiles a mapping whose columns have been checked.
 *
 * @throws {Error} if a column is missing or of a type that its field cannot have
 */
export function compileMapped(
  model: CollectionModel,
  mapping: MappedTable,
  catalog: Catalog,
  engine: MappedEngine,
  tableOf: Table["tableOf"],
): MappedSqlTable {
  const { options } = mapping;
  const { isKeyless = false, idParts = isKeyless ? [] : [model.id] } = model;
  const columns = leavesOf(model.name, mapping).map((leaf) => {
    const column = mappedColumn(model.name, leaf, catalog, engine, options);
    if (leaf.path.length > 1 || !idParts.includes(leaf.path[0])) return column;
    return { ...column, locate: (error: unknown, stored: SqlRow) => locateRow(error, parts, stored) };
  });
  const parts = idParts.map((name) => idColumn(model.name, name, columns));
  const mayLack = parts.filter(({ declared }) => declared.isPrimary && declared.isNullable);
  const isComposite = parts.length > 1;
  const mapped = isComposite ? withCompositeId(columns, parts) : columns;
  const composite = isComposite ? compositeColumn(parts.map((part) => mapped[columns.indexOf(part)] as MappedColumn)) : undefined;
  const hidden = isKeyless ? engine.placeColumn(catalog) : composite;
  const id = hidden ?? (parts[0] as MappedColumn);
  const { column: version, unchanged, earlier } = engine.version(mapped, parts, options, catalog);
  const updatedAt = updatedAtColumn(model.name, options, catalog, engine);
  const rowColumns: readonly TableColumn[] = [...mapped, ...(isKeyless ? [id] : []), version, ...(updatedAt === undefined ? [] : [updatedAt])];
  const at = placesOf(model, mapped, [version, ...(hidden === undefined ? [] : [hidden]), ...(updatedAt === undefined ? [] : [updatedAt])]);
  const tenant = tenantColumn(options, catalog, engine);
  const deletion = compileDeletion(model.name, mapped, options, catalog, engine);
  for (const column of mapped) refuseWritable(model.name, column, [tenant?.source, deletion?.source]);
  const plan = mappedPlan(options, catalog, at);
  return {
    ...{
      model,
      dialect: engine.dialect,
      engine,
      options,
      catalog,
      mapped,
      tenant,
      deletion,
      id,
      version,
      unchanged,
      earlier,
      updatedAt,
      rowColumns,
      at,
      tableOf,
    },
    ...engine.rowid(catalog, parts),
    quoted: quotedName(options),
    bigints: true,
    columnsOf(path) {
      const { column } = at(path);
      return columnsAt(mapped, path) ?? column.parts ?? [column];
    },
    ofTenant(value, bindings, from) {
      const prefix = from === undefined ? "" : `${from}.`;
      const conditions = [
        ...mayLack.map(({ source }) => `${prefix}${source} is not null`),
        ...(tenant === undefined ? [] : [writeTenant(tenant, value, bindings, prefix)]),
        ...(deletion === undefined ? [] : [deletion.isKept(prefix)]),
      ];
      return conditions.length === 0 ? "true" : conditions.join(" and ");
    },
    ofTenantOnly: (value, bindings, from) =>
      tenant === undefined ? "true" : writeTenant(tenant, value, bindings, from === undefined ? "" : `${from}.`),
    plan,
    folded(path) {
      const name = path.join(".");
      if (options.fold !== undefined && Object.hasOwn(options.fold, name)) {
        return orMissing(engine.dialect, at(path), quoteIdentifier(String(options.fold[name])), (text) => fold(text));
      }
      return foldedText(at(path), engine);
    },
    fold: (path, text) => (engine.foldsAscii && options.fold?.[path.join(".")] === undefined ? foldAscii(text) : fold(text)),
    isIndexed: indexedIn(catalog, plan),
    searchable: model.searchable,
    decodeRow: version.made === undefined ? (stored) => decodeColumns(rowColumns, stored) : (stored) => decodeStored(rowColumns, stored),
  };
}

/** Of an index on an expression, and of those below a view, nothing is known. */
function indexedIn({ kind, indexes }: Catalog, { scope, columnOf }: PlanNames): Table["isIndexed"] {
  const firsts = indexes.map(({ columns }) => columns.find((column) => column === undefined || !scope.includes(`${column}=?`)));
  const isUnknown = kind === "view" || indexes.some(({ columns }) => columns.includes(undefined));
  return (path) => isUnknown || firsts.includes(columnOf(path));
}

function idColumn(collection: string, name: string, columns: readonly MappedColumn[]): MappedColumn {
  const column = columns.find(({ leaf }) => leaf.path.length === 1 && leaf.path[0] === name);
  if (column === undefined) throw new Error(`${collection}: the id "${name}" needs a column of its own.`);
  return column;
}

function foldedText({ column, keys, missing }: TablePlace, engine: MappedEngine): string {
  if (column.kind === "json") return engine.fold(engine.dialect.json(column.quoted, keys, missing).text.typed, true);
  if (column.text !== undefined) return engine.fold(column.text, true);
  return engine.fold(column.quoted, (column as Partial<MappedColumn>).declared?.foldsAscii === true);
}

function foldAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Clients do not write the columns of the tenant and of the deletion. */
function refuseWritable(collection: string, { leaf, source }: MappedColumn, kept: readonly (string | undefined)[]): void {
  if (!kept.includes(source) || leaf.field.isReadOnly || leaf.field.madeBy !== "client") return;
  throw new Error(
    `${collection}: "${leaf.path.join(".")}" shows the column "${leaf.column}", which no client sets; list it in "readOnly" of the resource.`,
  );
}

function updatedAtColumn(collection: string, options: TableOptions, catalog: Catalog, engine: MappedEngine): TableColumn | undefined {
  if (options.updatedAt === undefined) return undefined;
  const { updatedAt } = options;
  const { name: column, as } = typeof updatedAt === "string" ? { name: updatedAt, as: undefined } : updatedAt;
  const write = typeof updatedAt !== "string" && updatedAt.as === "mixed" ? updatedAt.write : undefined;
  const field = {
    name: "_updatedAt",
    kind: "datetime",
    type: "datetime",
    isNullable: false,
    isOptional: false,
    hasDefault: false,
    madeBy: "server",
  } as const;
  return mappedColumn(collection, { path: ["_updatedAt"], column, as, write, field, above: [] }, catalog, engine, options);
}

function tenantColumn(options: TableOptions, catalog: Catalog, engine: MappedEngine): MappedSqlTable["tenant"] {
  if (options.tenant === "shared") return undefined;
  const declared = catalog.columns.get(options.tenant.column);
  const field = { name: "tenant", kind: "text", type: "text", isNullable: true, isOptional: true, hasDefault: false, madeBy: "server" } as const;
  const type = declared && engine.typeOf({ field, as: undefined }, declared, options);
  if (type === undefined) throw new Error(`The column "${options.tenant.column}" is missing, or of a type that no tenant has.`);
  return { source: quoteIdentifier(options.tenant.column), type };
}

function writeTenant({ source, type }: NonNullable<MappedSqlTable["tenant"]>, tenant: string, bindings: Bindings, prefix: string): string {
  if (tenant === "") return `${prefix}${source} is null`;
  return type.accepts(tenant) ? `${prefix}${type.place(source)} = ${(type.compare ?? type.write)(bindings.bind(type.encode(tenant)))}` : "false";
}

/** Finds the column of a path: its own, one with JSON above it, or an expression that is null where all members of an object are. */
function placesOf(model: CollectionModel, mapped: readonly MappedColumn[], reserved: readonly TableColumn[]): Table["at"] {
  const known = new Map<string, TablePlace>();
  const missingAt = missingIn(model);
  const find = (path: Path): TablePlace => {
    const own = reserved.find(({ name }) => name === path[0]);
    if (own !== undefined) return { column: own, keys: path.slice(1) };
    const column = mapped.find(({ leaf }) => isPrefix(leaf.path, path));
    if (column !== undefined) {
      const steps = column.leaf.path.length;
      return { column, keys: path.slice(steps), missing: column.kind === "json" ? missingAt(path, steps) : undefined };
    }
    const members = columnsAt(mapped, path);
    if (members === undefined) throw new Error(`${model.name}: the column "${path.join(".")}" does not exist.`);
    return { column: groupColumn(members), keys: [] };
  };
  return (path) => {
    const key = JSON.stringify(path);
    let place = known.get(key);
    if (place === undefined) {
      place = find(path);
      if (known.size < maxPlaces) known.set(key, place);
    }
    return place;
  };
}

/** Paths inside JSON come from clients. */
const maxPlaces = 1_000;

/** The columns of the members of an object; `undefined` if the path is none. */
function columnsAt(mapped: readonly MappedColumn[], path: Path): readonly MappedColumn[] | undefined {
  const members = mapped.filter(({ leaf }) => leaf.path.length > path.length && isPrefix(path, leaf.path));
  return members.length === 0 ? undefined : members;
}

function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((name, index) => name === path[index]);
}

const storedRows = new WeakMap<Row, SqlRow>();

/** A complete row as it was stored when it was read, if its version is made from that. */
export function storedOf(row: Row): SqlRow | undefined {
  return storedRows.get(row);
}

/** Decodes a complete row, and keeps it as it was stored. */
function decodeStored(columns: readonly TableColumn[], stored: SqlRow): Row {
  const row = decodeColumns(columns, stored);
  storedRows.set(row, stored);
  return row;
}

function locateRow(error: unknown, parts: readonly MappedColumn[], stored: SqlRow): void {
  if (error instanceof Unreadable) error.message += ` (the row has the id ${parts.map(({ name }) => String(stored[name]).slice(0, 64)).join(",")})`;
}
