import { run, type Session } from "../engine/session.js";

/** Reads the schema of the tables of a storage: parameter `position`, or the first one of the search path. */
const schemaAt = (position: number) => `coalesce($${position}::text, current_schema())`;

/** Whether the schema of the tables of a storage is missing. */
export async function isSchemaMissing(session: Session): Promise<boolean> {
  const { schema } = session.dialect.place;
  if (schema === undefined) return false;
  const text = "select 1 as found from pg_namespace where nspname = $1";
  return (await run(session, { text, values: [schema], writes: true, returns: "one" })).rows.length === 0;
}

/** The columns of tables in the database, with their types in lower case; a table that does not exist has no entry. */
export async function existingColumns(session: Session, tables: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const { name, place } = session.dialect;
  const text =
    name === "sqlite"
      ? `select n.value as "table", c.name, c.type from json_each(?) n join sqlite_master m on m.type = 'table' and m.name = n.value collate nocase
         join pragma_table_info(m.name) c`
      : `select table_name as "table", column_name as name,
           data_type || case when data_type = 'numeric' then coalesce('(' || numeric_precision || ',' || numeric_scale || ')', '') else '' end as type
         from information_schema.columns
         where table_schema = ${schemaAt(2)} and table_name = any(array(select jsonb_array_elements_text($1::text::jsonb)))`;
  const values = [JSON.stringify(tables), ...(name === "sqlite" ? [] : [place.schema ?? null])];
  const { rows } = await run(session, { text, values, writes: true, returns: "many" });
  const found = new Map<string, Map<string, string>>();
  for (const { table, name: column, type } of rows) {
    const columns = found.get(String(table)) ?? new Map<string, string>();
    found.set(String(table), columns.set(String(column), String(type).toLowerCase()));
  }
  return found;
}

/**
 * The existing indexes, with the names of their tables. `create index if not exists` locks the table even if the index exists, and can deadlock with writers; so
 * it only runs for indexes that are missing.
 */
export async function existingIndexes(session: Session): Promise<ReadonlyMap<string, string>> {
  const { name, place } = session.dialect;
  const text =
    name === "sqlite"
      ? `select name, tbl_name as "table" from sqlite_master where type = 'index' and sql is not null`
      : `select indexname as name, tablename as "table" from pg_indexes where schemaname = ${schemaAt(1)}`;
  const { rows } = await run(session, { text, values: name === "sqlite" ? [] : [place.schema ?? null], writes: true, returns: "many" });
  return new Map(rows.map(({ name: index, table }) => [String(index), String(table)]));
}

/** The names of the tables that have the columns which this library adds to each table of a collection, and of its other tables. */
export async function existingTables(session: Session): Promise<readonly string[]> {
  const { name, place } = session.dialect;
  const reserved = `('_tenant', '_version', '_updatedAt', '_operationId')`;
  const text =
    name === "sqlite"
      ? `select m.name as "table" from sqlite_master m where m.type = 'table' and
         (m.name like '%\\_restwright%' escape '\\' or (select count(*) from pragma_table_info(m.name) c where c.name in ${reserved}) = 4)`
      : `select c.relname as "table" from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = ${schemaAt(1)} and c.relkind in ('r', 'p') and (c.relname like '%\\_restwright%' or
           (select count(*) from pg_attribute a where a.attrelid = c.oid and not a.attisdropped and a.attname in ${reserved}) = 4)`;
  const { rows } = await run(session, { text, values: name === "sqlite" ? [] : [place.schema ?? null], writes: true, returns: "many" });
  return rows.map(({ table }) => String(table)).sort();
}
