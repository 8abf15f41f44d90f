import { type Catalog, type CatalogColumn, isComputed } from "../../stores/sql/mapped/catalog.js";
import { type Item, member } from "./code.js";
import { constantDefault } from "./defaultValue.js";
import type { DescribedTable, TypeOf } from "./describeTables.js";
import type { FieldType } from "./fieldType.js";
import { fieldName, freeName } from "./names.js";

/** What the columns of a table are in its collection. */
export interface Fields {
  /** The members of the schema, with a comment for each column that has no field. */
  readonly members: readonly Item[];
  /** Fields by their columns. */
  readonly names: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, FieldType>;
  /** Who makes the values of fields, if clients do not. */
  readonly generated: ReadonlyMap<string, string>;
  readonly heavy: readonly string[];
  /** The column that each write counts up. */
  readonly version: string | undefined;
  /** The column with the instant of the last write. */
  readonly updatedAt: string | undefined;
  /** Columns without a field that a new row needs. */
  readonly unfilled: readonly string[];
}

const createdNames = new Set(["createdAt", "created", "createdOn", "insertedAt"]);
const updatedNames = new Set(["updatedAt", "updated", "updatedOn", "modifiedAt", "modified", "modifiedOn"]);
const secretName = /passw|secret|token|digest|hash$|private_?key/i;

/** Describes the columns of a table. */
export function describeFields(table: Omit<DescribedTable, "fields">, typeOf: TypeOf): Fields {
  const { catalog, ids } = table;
  const taken = new Set<string>();
  const members: Item[] = [];
  const names = new Map<string, string>();
  const types = new Map<string, FieldType>();
  const generated = new Map<string, string>();
  const unfilled: string[] = [];
  let version: string | undefined;
  let updatedAt: string | undefined;
  for (const column of catalog.columns.values()) {
    const type = typeOf(table, column);
    const isId = ids.includes(column);
    if (isVersion(column)) {
      version = column.name;
      members.push({ comment: `"${column.name}" is the version of a row, see "table".` });
    } else if (type === undefined) {
      if (!column.isNullable && !column.hasDefault && column.generated === "no") unfilled.push(column.name);
      const why = column.cast === "" ? "it is declared without a type" : `no field can hold its type ${column.cast}`;
      members.push({ comment: `"${column.name}" is left out: ${why}.` });
    } else {
      const name = freeName(fieldName(column.name), taken);
      const isUnlike = table.instants?.unlikeDefault.has(column.name) === true;
      const maker = makerOf({ name, column, type }, catalog, isId ? ids.length : 0, isUnlike);
      if (maker !== undefined) generated.set(name, maker);
      if (maker === "updatedAt" && !column.isNullable) updatedAt ??= column.name;
      names.set(column.name, name);
      types.set(column.name, type);
      if (secretName.test(column.name)) members.push({ comment: 'Clients can read the next one, unless "access" says otherwise.' });
      if (table.instants?.mixed.has(column.name) === true) {
        members.push({ comment: "Some rows hold an instant as a text and others as a number, which cannot be read; give all the same form." });
      }
      const isMade = isId || maker !== undefined || ids.length === 0 || isComputed(catalog);
      members.push(member(name, fieldCode(column, type, isMade, !isId && isNullable(column, catalog))));
    }
  }
  const heavy = [...names].filter(([column]) => types.get(column)?.kind === "bytes").map(([, name]) => name);
  return { members, names, types, generated, heavy, version, updatedAt, unfilled };
}

/** The column of Active Record, which each program that writes the table counts up. */
function isVersion({ name, type, isNullable, isArray }: CatalogColumn): boolean {
  return name === "lock_version" && /^int(?:[248]|eger)?$/i.test(type) && !isNullable && !isArray;
}

function isNullable(column: CatalogColumn, { kind }: Catalog): boolean {
  return column.isNullable || kind === "view";
}

/** A column, with the name and the type of its field. */
interface NamedColumn {
  readonly name: string;
  readonly column: CatalogColumn;
  readonly type: FieldType;
}

/**
 * Who makes the values of a field; `undefined` for clients.
 *
 * @param ofId how many columns the id has that the column belongs to; 0 for other columns
 * @param isUnlike whether its rows hold instants in another form than its default has
 */
function makerOf({ name, column, type }: NamedColumn, catalog: Catalog, ofId: number, isUnlike: boolean): string | undefined {
  const isTime = type.kind === "datetime";
  if (column.generated === "always") return "database";
  if (isTime && updatedNames.has(name) && catalog.triggers?.onUpdate !== true) return "updatedAt";
  // Two forms in a column are not in the order of time.
  if (isUnlike && /^CURRENT_TIMESTAMP$/i.test(column.defaultValue ?? "")) return "createdAt";
  if (column.generated === "by-default" || (ofId > 0 && column.hasDefault)) return "database";
  if (column.hasDefault && constantDefault(column, type) === undefined && !isNull(column)) return "database";
  if (isTime && createdNames.has(name) && !column.hasDefault) return "createdAt";
  return ofId === 1 && type.code === "z.guid()" ? "uuid" : undefined;
}

function isNull({ defaultValue = "" }: CatalogColumn): boolean {
  return /^NULL(?:::|$)/i.test(defaultValue);
}

function fieldCode(column: CatalogColumn, type: FieldType, isMade: boolean, isNullable: boolean): string {
  const constant = isMade ? undefined : constantDefault(column, type);
  const absent = constant ?? (isNullable && !isMade ? "null" : undefined);
  const ends = `${isNullable ? ".nullable()" : ""}${absent === undefined ? "" : `.default(${absent})`}`;
  return `${type.code}${ends}`;
}
