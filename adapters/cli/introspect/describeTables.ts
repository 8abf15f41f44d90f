import { type Catalog, type CatalogColumn, type CatalogIndex, isComputed } from "../../stores/sql/mapped/catalog.js";
import { describeFields, type Fields } from "./describeFields.js";
import { enumName, type FieldType } from "./fieldType.js";
import type { ListedTable } from "./listTables.js";
import { camelCase, collectionName, constantName, freeName } from "./names.js";
import type { StoredInstants } from "./storedInstants.js";

/** A table and what the database says about it. */
export interface FoundTable {
  readonly table: ListedTable;
  readonly catalog: Catalog;
  /** SQLite: how its rows store instants. */
  readonly instants?: StoredInstants | undefined;
}

/** A table as a collection. */
export interface DescribedTable extends FoundTable {
  readonly collection: string;
  /** The constant that holds the resource. */
  readonly constant: string;
  /** The columns of the id: one, or those of a composite id; none for a list of rows that have no id. */
  readonly ids: readonly CatalogColumn[];
  /** The reason if the collection has no id. */
  readonly whyNoId: string | undefined;
  readonly fields: Fields;
}

/** The type of an enum, which several columns may have. */
export interface DescribedEnum {
  readonly constant: string;
  readonly labels: readonly string[];
}

export interface Description {
  readonly enums: readonly DescribedEnum[];
  readonly tables: readonly DescribedTable[];
  /** Why tables were left out, one sentence each. */
  readonly leftOut: readonly string[];
}

/** The tables of tools that change schemas. */
const migrations =
  /^(?:_prisma_migrations|schema_migrations|ar_internal_metadata|__drizzle_migrations|django_migrations|knex_migrations(?:_lock)?|flyway_schema_history|alembic_version|kysely_migration(?:_lock)?|migrations|typeorm_metadata|SequelizeMeta)$/;

/** The zod type of a column, with the constants of enums by the names of their types; `undefined` if no field can hold its values. */
export type ColumnFieldType = (column: CatalogColumn, enums: ReadonlyMap<string, string>) => FieldType | undefined;

/**
 * Describes tables as collections. Where no column identifies a row, the collection has lists only, if the engine tells the rows apart.
 *
 * @param fieldType of the engine
 */
export function describeTables(found: readonly FoundTable[], fieldType: ColumnFieldType): Description {
  const leftOut: string[] = [];
  const named: Omit<DescribedTable, "fields">[] = [];
  const names = new Set<string>();
  const enums = enumsOf(found);
  for (const each of found) {
    const typeOf = (column: CatalogColumn) => fieldType(column, enums.names);
    const isOfTool = migrations.test(each.table.name);
    const idsOrReason = isOfTool ? "it belongs to a tool for migrations" : idColumns(each, typeOf);
    const [ids, whyNoId] = typeof idsOrReason === "string" ? [[], idsOrReason] : [idsOrReason, undefined];
    if (whyNoId !== undefined && (isOfTool || !isListed(each.catalog, typeOf))) {
      leftOut.push(`${titleOf(each.table)} is left out: ${whyNoId}.`);
      continue;
    }
    const { schema, name } = each.table;
    const plain = collectionName(name);
    const collection = freeName(names.has(plain) ? collectionName(`${schema}_${name}`) : plain, names);
    named.push({ ...each, ids, whyNoId, collection, constant: freeName(constantName(collection), enums.taken) });
  }
  const typeOf = typesOf(named, (column) => fieldType(column, enums.names));
  return { leftOut, enums: enums.described, tables: named.map((table) => ({ ...table, fields: describeFields(table, typeOf) })) };
}

export function titleOf({ schema, name, isVisible }: ListedTable): string {
  return isVisible ? `"${name}"` : `"${schema}"."${name}"`;
}

/** Whether the table can be a list of rows without ids that have at least one field. */
function isListed({ hasPlaces, columns }: Catalog, typeOf: (column: CatalogColumn) => FieldType | undefined): boolean {
  return hasPlaces && [...columns.values()].some((column) => typeOf(column) !== undefined);
}

/** Whether the collection is read-only: that of a view, of a foreign table, and of rows without an id. */
export function isReadOnly({ catalog, ids }: Pick<DescribedTable, "catalog" | "ids">): boolean {
  return isComputed(catalog) || ids.length === 0;
}

/** The columns that identify a row, or why there are none. One column that is unique comes before keys of several, and a primary key before others. */
function idColumns({ catalog }: FoundTable, typeOf: (column: CatalogColumn) => FieldType | undefined): readonly CatalogColumn[] | string {
  const keys = catalog.indexes.filter(
    (index) => index.isUnique && index.predicate === undefined && !index.isDeferrable && index.columns.length === 1,
  );
  const candidates = primaryFirst(keys).flatMap(({ columns }) => (columns[0] === undefined ? [] : (catalog.columns.get(columns[0]) ?? [])));
  const mayLack = ({ isNullable, isPrimary }: CatalogColumn) => isNullable && isPrimary !== true;
  const isId = (column: CatalogColumn) => ["text", "int", "bigint"].includes(typeOf(column)?.kind ?? "");
  const id = candidates.find((column) => !mayLack(column) && isId(column)) ?? (isComputed(catalog) ? catalog.columns.get("id") : undefined);
  if (id !== undefined && isId(id)) return [id];
  const primary = catalog.indexes.find(({ isPrimary }) => isPrimary);
  const composite = catalog.indexes.filter((index) => index.isUnique && index.predicate === undefined && !index.isDeferrable);
  for (const { columns } of primary === undefined ? composite : [primary, ...composite]) {
    const parts = columns.flatMap((column) => catalog.columns.get(column ?? "") ?? []);
    if (columns.length > 1 && parts.length === columns.length && parts.every((part) => !mayLack(part) && isId(part))) return parts;
  }
  if (primary !== undefined && primary.columns.length > 1) {
    return `its primary key has several columns, ${primary.columns.map((column) => `"${column}"`).join(", ")}, which cannot be an id, and no other column is unique`;
  }
  return isComputed(catalog) ? 'it has no column "id" of a type that an id can have' : "no column that an id can be is unique and never null";
}

/** Foreign keys name the primary key, and SQLite lists the index that was made last first. */
function primaryFirst(indexes: readonly CatalogIndex[]): readonly CatalogIndex[] {
  return indexes.toSorted((one, other) => Number(other.isPrimary) - Number(one.isPrimary));
}

/** A constant for each type of an enum, by the names of the types. */
function enumsOf(found: readonly FoundTable[]) {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  const described: DescribedEnum[] = [];
  for (const column of found.flatMap(({ catalog }) => [...catalog.columns.values()])) {
    const type = enumName(column);
    const { labels = [] } = column;
    if (labels.length === 0 || names.has(type)) continue;
    const [, quoted, plain] = /(?:"((?:[^"]|"")+)"|([^".]+))$/.exec(type) ?? [];
    const constant = freeName(`${camelCase(quoted ?? plain ?? "")}Enum`, taken);
    names.set(type, constant);
    described.push({ constant, labels });
  }
  return { taken, names, described };
}

/** The type of a column in its table; `undefined` if no field can hold its values. */
export type TypeOf = (table: FoundTable, column: CatalogColumn) => FieldType | undefined;

/** A number that the database counts up never comes near 2^53: it and the keys that name it are plain numbers. Other integers of 64 bits are exact. */
function typesOf(tables: readonly FoundTable[], fieldType: (column: CatalogColumn) => FieldType | undefined): TypeOf {
  const typeOf = (table: FoundTable, column: CatalogColumn, depth: number): FieldType | undefined => {
    const type = fieldType(column);
    if (type?.kind !== "bigint") return type;
    if (column.isNumbered || /^nextval\(/.test(column.defaultValue ?? "")) return counted;
    const key = table.catalog.foreignKeys.find(({ columns }) => columns.includes(column.name));
    const target = tables.find(({ catalog }) => catalog.identity !== undefined && catalog.identity === key?.references?.table);
    const named = target?.catalog.columns.get(key?.references?.columns[key.columns.indexOf(column.name)] ?? "");
    if (target === undefined || named === undefined || depth === 0) return type;
    return typeOf(target, named, depth - 1)?.kind === "int" ? counted : type;
  };
  return (table, column) => typeOf(table, column, maxDepth);
}

const counted: FieldType = { code: "z.int()", kind: "int" };

/** Keys that name keys that name keys. */
const maxDepth = 8;
