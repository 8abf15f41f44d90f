import type { CollectionModel, ColumnKind, MappedField, MappedTable } from "../../../../../src/ground/storage/model.js";
import type { Catalog, CatalogColumn } from "../catalog.js";
import type { Leaf } from "../leaves.js";
import type { MappedEngine } from "../mappedEngine.js";

/** A collection, what its mapping says, and what the database says. */
export interface CheckedTable {
  readonly model: CollectionModel;
  readonly mapping: MappedTable;
  readonly catalog: Catalog;
  readonly leaves: readonly Leaf[];
  readonly engine: MappedEngine;
}

/** Where a check says what it found. */
export interface Report {
  /** The service must not start. The sentence ends with what to write. */
  differs(sentence: string): void;
  /** The service can start, but may surprise. */
  warns(sentence: string): void;
}

/** The columns that this library writes or reads by itself, and what for. */
export function reservedColumns({ mapping }: CheckedTable): ReadonlyMap<string, string> {
  const { version, updatedAt, softDelete, tenant } = mapping.options;
  const columns = new Map<string, string>();
  if (typeof version === "object") columns.set(version.column, "version");
  if (updatedAt !== undefined) columns.set(typeof updatedAt === "string" ? updatedAt : updatedAt.name, "updatedAt");
  if (softDelete !== undefined) columns.set(softDelete.column, "softDelete");
  if (typeof tenant === "object") columns.set(tenant.column, "tenant");
  return columns;
}

const unnamed = { name: "", isNullable: true, isOptional: true, hasDefault: false, madeBy: "server" } as const;

/** Whether values of this kind can be in the column. */
export function fits(
  { engine, mapping }: CheckedTable,
  column: CatalogColumn,
  kind: ColumnKind,
  { type = kind, as }: { readonly type?: string; readonly as?: Leaf["as"] } = {},
): boolean {
  return engine.typeOf({ field: { ...unnamed, kind, type }, as }, column, mapping.options) !== undefined;
}

/** Whether values of this kind can be the elements of the column, an array. */
export function fitsElements({ engine, mapping }: CheckedTable, column: CatalogColumn, kind: ColumnKind, type: string): boolean {
  const field: MappedField = { ...unnamed, kind: "json", type: "array", element: { ...unnamed, kind, type } };
  return engine.typeOf({ field, as: undefined }, column, mapping.options) !== undefined;
}

/** The columns of a top-level field; empty if its members have columns of their own. */
export function columnsOf({ leaves }: CheckedTable, field: string): readonly string[] {
  return leaves.filter(({ path }) => path.length === 1 && path[0] === field).map(({ column }) => column);
}

/** The top-level fields in these columns; `undefined` if one of the columns has none. */
export function fieldsOf({ leaves }: CheckedTable, columns: readonly (string | undefined)[]): readonly string[] | undefined {
  const fields = columns.map((column) => leaves.find((leaf) => leaf.column === column && leaf.path.length === 1)?.path[0]);
  return fields.includes(undefined) ? undefined : (fields as readonly string[]);
}

/** Names in quotation marks, separated by commas. */
export function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
