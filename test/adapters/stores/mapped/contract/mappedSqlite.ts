import type { CollectionModel, ColumnKind, MappedField, UniqueKey } from "../../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import type { TableOptions, TableVersion } from "../../../../../src/ground/storage/tableOptions.js";
import { overTables } from "./overTables.js";

/** What differs among the tables that a developer makes for the same collection. */
export interface SqliteStyle {
  readonly version: TableVersion;
  /** How instants are stored. */
  readonly instants: "iso" | "epoch-ms";
  /** Whether deleted rows stay, with the instant of their deletion in `deleted_at`. */
  readonly keepsDeleted?: boolean | undefined;
  /** Whether tables are WITHOUT ROWID, with a key that is not the id, unless the database makes the id. */
  readonly isWithoutRowid?: boolean | undefined;
  /** Whose a row is. Default: the tenant's in `org_id`. */
  readonly tenant?: TableOptions["tenant"];
}

/** A storage over SQLite whose collections are tables of a developer: each model that is migrated gets a table by plain SQL, and is mapped to it. */
export function mappedSqlite(base: Storage, style: SqliteStyle): Storage {
  return overTables(
    base,
    (model) => developersTable(model, style),
    (table, storage) => create(storage, table),
  );
}

interface DevelopersTable {
  readonly name: string;
  readonly statements: readonly string[];
  readonly columns: readonly { readonly name: string; readonly definition: string }[];
  readonly model: CollectionModel;
}

/** Creates the table, or the columns that it lacks. */
async function create(storage: Storage, { name, statements, columns }: DevelopersTable): Promise<void> {
  await storage.transaction?.(async (tx) => {
    const known = await tx.sql?.("select name from pragma_table_info(?)", [name]);
    const names = new Set(known?.map((column) => column["name"]));
    const missing = columns.filter((column) => !names.has(column.name));
    for (const text of names.size === 0 ? statements : missing.map(({ definition }) => `alter table ${quoted(name)} add column ${definition}`)) {
      await tx.sql?.(text, []);
    }
  });
}

const renamed: ReadonlyMap<string, string> = new Map([
  ["quantity", "qty"],
  ["at", "Happened At"],
  ["address", "address_json"],
]);

const types: Readonly<Record<ColumnKind, string>> = {
  text: "VARCHAR(200)",
  int: "INTEGER",
  number: "REAL",
  bigint: "BIGINT",
  decimal: "DECIMAL",
  boolean: "BOOLEAN",
  datetime: "DATETIME",
  json: "TEXT",
};

function developersTable(model: CollectionModel, style: SqliteStyle): DevelopersTable {
  const name = `app_${model.name}`;
  const columns = model.columns.map((column) => ({
    name: sourceOf(column.name),
    definition: `${quoted(sourceOf(column.name))} ${column.name === model.id ? idType(model, column.kind) : types[column.kind]}`,
  }));
  const keys = [{ fields: [model.id] }, ...model.unique];
  const others = [
    "org_id text",
    "updated_at INTEGER",
    "unmapped text not null default 'untouched'",
    ...versionColumn(style.version),
    ...(style.keepsDeleted ? ["deleted_at DATETIME"] : []),
  ];
  const isWithoutRowid = style.isWithoutRowid === true && model.idFrom !== "store";
  const rowKey = isWithoutRowid ? ["row_key text not null primary key default (hex(randomblob(16)))"] : [];
  const options: TableOptions = {
    ...{
      name,
      managed: false,
      version: style.version,
      tenant: style.tenant ?? { column: "org_id" },
      updatedAt: { name: "updated_at", as: "epoch-ms" },
    },
    ...(style.keepsDeleted && { softDelete: { column: "deleted_at" } }),
    columns: columnNames(model, style),
  };
  return {
    name,
    columns,
    statements: [
      `create table ${quoted(name)} (${[...columns.map(({ definition }) => definition), ...others, ...rowKey].join(", ")})${isWithoutRowid ? " without rowid" : ""}`,
      ...keys.flatMap((key, index) => (index === 0 && model.idFrom === "store" ? [] : indexes(name, key, index, style))),
      ...versionTrigger(name, style.version),
    ],
    model: {
      ...model,
      unique: model.unique.map((key, index) => ({ ...key, ...(key.fold && { index: `${name}_key${index + 1}` }) })),
      table: {
        options,
        fields: model.columns.map((column) => fieldOf(column, model)),
        operations: new Set(["list", "read", "create", "replace", "update", "remove"]),
        cascades: [],
      },
    },
  };
}

function columnNames({ columns }: CollectionModel, { instants }: SqliteStyle): NonNullable<TableOptions["columns"]> {
  const named = columns.flatMap(
    ({ name, kind }): [string, string | { readonly name: string; readonly as: "epoch-ms" } | { readonly json: string }][] => {
      if (kind === "datetime" && instants === "epoch-ms") return [[name, { name: sourceOf(name), as: "epoch-ms" }]];
      if (!renamed.has(name)) return [];
      return [[name, kind === "json" ? { json: sourceOf(name) } : sourceOf(name)]];
    },
  );
  return Object.fromEntries(named);
}

function sourceOf(field: string): string {
  return renamed.get(field) ?? field;
}

function idType({ idFrom }: CollectionModel, kind: ColumnKind): string {
  return idFrom === "store" ? "INTEGER PRIMARY KEY AUTOINCREMENT" : `${types[kind]} not null`;
}

function fieldOf({ name, kind, digits }: CollectionModel["columns"][number], { id, idFrom }: CollectionModel): MappedField {
  const isMade = name === id && idFrom === "store";
  return {
    ...{ name, kind, type: kind, isNullable: name !== id, isOptional: name !== id || isMade, hasDefault: false },
    madeBy: isMade ? "database" : "client",
    digits,
  };
}

/** Rows without a tenant have an index of their own, since nulls are never equal. */
function indexes(table: string, key: UniqueKey, position: number, { tenant }: SqliteStyle): string[] {
  const members = key.fields.map((field) => quoted(sourceOf(field))).join(", ");
  const index = quoted(`${table}_key${position}`);
  // A key that ignores case is an index over expressions, which conflicts name.
  if (key.fold) {
    const folded = key.fields.map((field) => `lower(${quoted(sourceOf(field))})`).join(", ");
    const owner = tenant === "shared" ? "" : "coalesce(org_id, ''), ";
    return [`create unique index ${index} on ${quoted(table)} (${owner}${folded})`];
  }
  if (tenant === "shared") return [`create unique index ${index} on ${quoted(table)} (${members})`];
  return [
    `create unique index ${index} on ${quoted(table)} (org_id, ${members})`,
    `create unique index ${quoted(`${table}_alone${position}`)} on ${quoted(table)} (${members}) where org_id is null`,
  ];
}

function versionColumn(version: TableVersion): string[] {
  return typeof version === "string" ? [] : [`${version.column} integer not null default 1`];
}

function versionTrigger(table: string, version: TableVersion): string[] {
  if (typeof version === "string" || version.by !== "trigger") return [];
  const { column } = version;
  return [
    `create trigger ${quoted(`${table}_count`)} after update on ${quoted(table)} when new.${column} = old.${column} ` +
      `begin update ${quoted(table)} set ${column} = old.${column} + 1 where rowid = new.rowid; end`,
  ];
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
