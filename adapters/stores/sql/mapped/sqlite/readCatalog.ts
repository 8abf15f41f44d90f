import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import type { SqlRow } from "../../engine/executor.js";
import { run, type Session } from "../../engine/session.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { rowidOf } from "../../schema/table.js";
import type { Catalog, CatalogColumn, CatalogForeignKey, CatalogIndex, CatalogReference } from "../catalog.js";

/**
 * Reads what SQLite says about tables and views.
 *
 * @returns in the order of the names; `undefined` if there is no table or view of this name
 * @throws {Error} if a trigger could end a transaction of the service
 */
export async function readSqliteCatalogs(session: Session, names: readonly TableOptions["name"][]): Promise<readonly (Catalog | undefined)[]> {
  const catalogs: (Catalog | undefined)[] = [];
  for (const name of names) catalogs.push(await readCatalog(session, name));
  return catalogs;
}

async function readCatalog(session: Session, name: TableOptions["name"]): Promise<Catalog | undefined> {
  const [schema, table] = typeof name === "string" ? ["main", name] : [name.schema, name.name];
  const master = `${quoteIdentifier(schema)}.sqlite_master`;
  const [entry] = await rowsOf(session, `select type, sql from ${master} where type in ('table', 'view') and name = ? collate nocase`, [table]);
  if (entry === undefined) return undefined;
  const declaration = String(entry["sql"]);
  const columns = await rowsOf(session, columnsText, [table, schema]);
  const isView = entry["type"] === "view";
  const collations = await readCollations(session, `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`, declaration, columns);
  const triggers = await rowsOf(session, `select name, sql from ${master} where type = 'trigger' and tbl_name = ? collate nocase`, [table]);
  for (const trigger of triggers) refuseAbandoning(table, trigger);
  const indexes = isView ? [] : await readIndexes(session, schema, table, master, columns);
  const foreignKeys = isView ? [] : await readForeignKeys(session, schema, table, declaration);
  const referencedBy = isView ? [] : await readReferences(session, schema, table, master, indexes);
  const withoutRowid = isView || (await isWithoutRowid(session, schema, table));
  return {
    name: typeof name === "string" ? table : `${schema}.${table}`,
    identity: identityOf(schema, table),
    kind: isView ? "view" : "table",
    columns: new Map(columns.map((row) => [String(row["name"]), columnOf(row, declaration, columns, collations.get(String(row["name"])))])),
    indexes,
    foreignKeys,
    referencedBy,
    isDeferred: referencedBy.length > 0 || foreignKeys.some(({ isDeferred }) => isDeferred),
    hasAfterTriggers: triggers.length > 0,
    isWithoutRowid: withoutRowid,
    hasPlaces: !withoutRowid && rowidOf(columns.map((row) => String(row["name"]))) !== undefined,
  };
}

/** The name of a table in a statement. */
function identityOf(schema: string, table: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
}

async function rowsOf(session: Session, text: string, values: readonly unknown[]): Promise<readonly SqlRow[]> {
  return (await run(session, { text, values, writes: true, returns: "many" })).rows;
}

/** `pk` is the position in the primary key, `hidden` 2 or 3 for computed columns. */
const columnsText = `select cid, name, type, "notnull" as required, dflt_value as "default", pk, hidden from pragma_table_xinfo(?, ?) where hidden <> 1`;

/** RAISE(ROLLBACK) ends the transaction that the service opened, and RAISE(FAIL) keeps a half of a write. */
function refuseAbandoning(table: string, { name, sql }: SqlRow): void {
  const [, action] = /\braise\s*\(\s*(rollback|fail)\b/i.exec(String(sql)) ?? [];
  if (action === undefined) return;
  throw new Error(
    `The trigger "${String(name)}" of the table "${table}" calls RAISE(${action.toUpperCase()}, …), which would leave a write half done; use RAISE(ABORT, …).`,
  );
}

function columnOf(row: SqlRow, declaration: string, all: readonly SqlRow[], collation: string | undefined): CatalogColumn {
  const type = String(row["type"]).toUpperCase();
  const isRowid = Number(row["pk"]) === 1 && type === "INTEGER" && all.filter(({ pk }) => Number(pk) > 0).length === 1;
  const [, first, second] = /\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(type) ?? [];
  const isNumber = /^(?:NUMERIC|DECIMAL)/.test(type);
  return {
    name: String(row["name"]),
    position: Number(row["cid"]) + 1,
    type,
    cast: type,
    isArray: false,
    labels: undefined,
    // SQLite does not enforce lengths.
    maxLength: undefined,
    precision: isNumber && first !== undefined ? Number(first) : undefined,
    scale: isNumber && second !== undefined ? Number(second) : undefined,
    isNullable: Number(row["required"]) === 0 && !isRowid && !(Number(row["pk"]) > 0 && /\bwithout\s+rowid\b/i.test(declaration)),
    isPrimary: Number(row["pk"]) > 0,
    hasDefault: row["default"] !== null || isRowid,
    defaultValue: row["default"] === null ? undefined : String(row["default"]),
    generated: Number(row["hidden"]) >= 2 ? "always" : isRowid ? "by-default" : "no",
    isNumbered: isRowid,
    isDeterministic: collation === undefined,
    collation,
  };
}

/** The collations of columns that do not compare code points. SQLite has no list of them, so a text is compared as each column compares. */
async function readCollations(
  session: Session,
  table: string,
  declaration: string,
  columns: readonly SqlRow[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (!/\bcollate\b|\bview\b/i.test(declaration)) return found;
  for (const name of columns.map((column) => String(column["name"]))) {
    const text = `select ${quoteIdentifier(name)} as c from ${table} where 0 union all select 'a'`;
    const [row] = await rowsOf(session, `with c as materialized (${text}) select c = 'A' as nocase, c = 'a ' as rtrim from c`, []);
    if (Number(row?.["nocase"]) === 1) found.set(name, "NOCASE");
    if (Number(row?.["rtrim"]) === 1) found.set(name, "RTRIM");
  }
  return found;
}

async function isWithoutRowid(session: Session, schema: string, table: string): Promise<boolean> {
  const [row] = await rowsOf(session, `select wr from pragma_table_list(?) where schema = ?`, [table, schema]);
  return Number(row?.["wr"]) === 1;
}

async function readIndexes(session: Session, schema: string, table: string, master: string, columns: readonly SqlRow[]): Promise<CatalogIndex[]> {
  const list = await rowsOf(session, `select name, "unique" as is_unique, origin, partial from pragma_index_list(?, ?)`, [table, schema]);
  const indexes: CatalogIndex[] = [];
  for (const { name, is_unique: isUnique, origin, partial } of list) {
    const members = await rowsOf(session, `select cid, name from pragma_index_xinfo(?, ?) where key = 1 order by seqno`, [name, schema]);
    const [declared] = Number(partial) === 1 ? await rowsOf(session, `select sql from ${master} where type = 'index' and name = ?`, [name]) : [];
    indexes.push({
      name: String(name),
      columns: members.map((member) => (Number(member["cid"]) < 0 ? undefined : String(member["name"]))),
      isUnique: Number(isUnique) === 1,
      isPrimary: origin === "pk",
      predicate: declared === undefined ? undefined : /\bwhere\b(.*)$/is.exec(String(declared["sql"]))?.[1]?.trim(),
      isDeferrable: false,
    });
  }
  // A key that is the row id has no index of its own.
  if (!indexes.some(({ isPrimary }) => isPrimary)) {
    const key = columns.filter(({ pk }) => Number(pk) > 0).toSorted((one, other) => Number(one["pk"]) - Number(other["pk"]));
    const named = key.map(({ name }) => String(name));
    if (named.length > 0) {
      indexes.unshift({ name: "", columns: named, isUnique: true, isPrimary: true, predicate: undefined, isDeferrable: false });
    }
  }
  return indexes;
}

/** The deferred foreign keys of all tables that name rows of this one. */
async function readReferences(
  session: Session,
  schema: string,
  table: string,
  master: string,
  indexes: readonly CatalogIndex[],
): Promise<CatalogReference[]> {
  const text = `
    select m.name as "table", m.sql, f.id, f."from" as "column", f."to" as "target"
    from ${master} m join pragma_foreign_key_list(m.name, ?) f where m.type = 'table' and f."table" = ? collate nocase order by m.name, f.id, f.seq`;
  const keys = new Map<string, SqlRow[]>();
  for (const row of await rowsOf(session, text, [schema, table])) {
    if (!deferred.test(String(row["sql"]))) continue;
    const key = `${String(row["id"])} ${String(row["table"])}`;
    keys.set(key, [...(keys.get(key) ?? []), row]);
  }
  const primary = indexes.find(({ isPrimary }) => isPrimary)?.columns ?? [];
  return [...keys.values()].map((members) => ({
    table: identityOf(schema, String(members[0]?.["table"])),
    columns: members.map(({ column }) => String(column)),
    references: members.map(({ target }, index) => String(target ?? primary[index])),
  }));
}

const deferred = /\bdeferrable\s+initially\s+deferred\b/i;

const deletions: Readonly<Record<string, CatalogForeignKey["onDelete"]>> = {
  "NO ACTION": "refuse",
  RESTRICT: "refuse",
  CASCADE: "cascade",
  "SET NULL": "set-null",
  "SET DEFAULT": "set-default",
};

/** SQLite does not keep the names of foreign keys: that of their columns stands for it. It numbers them from the last to the first. */
async function readForeignKeys(session: Session, schema: string, table: string, declaration: string): Promise<CatalogForeignKey[]> {
  const text = `select id, "from" as "column", "to" as "target", "table" as parent, on_delete from pragma_foreign_key_list(?, ?) order by id desc, seq`;
  const keys = new Map<string, SqlRow[]>();
  for (const row of await rowsOf(session, text, [table, schema])) keys.set(String(row["id"]), [...(keys.get(String(row["id"])) ?? []), row]);
  const isDeferred = deferred.test(declaration);
  const found: CatalogForeignKey[] = [];
  for (const members of keys.values()) {
    const parent = String(members[0]?.["parent"]);
    const targets = members.every(({ target }) => target !== null)
      ? members.map(({ target }) => String(target))
      : (await rowsOf(session, `select name from pragma_table_info(?, ?) where pk > 0 order by pk`, [parent, schema])).map((row) =>
          String(row["name"]),
        );
    found.push({
      name: members.map(({ column }) => String(column)).join(", "),
      columns: members.map(({ column }) => String(column)),
      references: { table: identityOf(schema, parent), columns: targets },
      onDelete: deletions[String(members[0]?.["on_delete"])],
      isDeferred,
    });
  }
  return found;
}
