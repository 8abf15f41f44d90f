import { run, type Session } from "../../stores/sql/engine/session.js";

/** A table or view of the database. */
export interface ListedTable {
  readonly schema: string;
  readonly name: string;
  /** Whether the search path of the connection finds it by its name alone. */
  readonly isVisible: boolean;
}

/** Partitions are rows of their table, and what an extension or this library made is not the developer's. */
const tables = `
  select n.nspname::text as schema, c.relname::text as name, pg_table_is_visible(c.oid)::text as visible
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    and c.relname !~ '_restwright(_|$)'
    and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = '_tenant' and exists (
      select from pg_attribute b where b.attrelid = c.oid and b.attname = '_version'))
    and n.nspname = any(case when $1::text::jsonb = '[]'::jsonb then current_schemas(false)::text[] else array(select jsonb_array_elements_text($1::text::jsonb)) end)
    and ($2::text::jsonb = '[]'::jsonb or $2::text::jsonb ? c.relname)
  order by n.nspname, c.relname`;

/**
 * The tables and views that an introspection describes, by their names.
 *
 * @param schemas empty for those of the search path
 * @param names empty for all
 */
export async function listTables(session: Session, schemas: readonly string[], names: readonly string[]): Promise<readonly ListedTable[]> {
  const values = [JSON.stringify(schemas), JSON.stringify(names)];
  const { rows } = await run(session, { text: tables, values, writes: false, returns: "many" });
  return rows.map(({ schema, name, visible }) => ({ schema: String(schema), name: String(name), isVisible: visible === "true" }));
}
