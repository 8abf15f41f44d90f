import { run, type Session } from "./session.js";
import type { Table } from "./table.js";

/** The columns that a table has in the database, with their types in lower case; empty where there is no such table. */
export async function existingColumns(session: Session, table: Table): Promise<ReadonlyMap<string, string>> {
  const text =
    session.executor.dialect === "sqlite"
      ? `select name, type from pragma_table_info(?)`
      : `select column_name as name, data_type as type from information_schema.columns where table_schema = current_schema() and table_name = $1`;
  const { rows } = await run(session, { text, values: [table.model.name], writes: true, returns: "many" });
  return new Map(rows.map(({ name, type }) => [String(name), String(type).toLowerCase()]));
}

/** A type as the catalogue names it. */
export function catalogType(definition: string): string {
  const type = definition.toLowerCase();
  if (type.startsWith("timestamptz")) return "timestamp with time zone";
  return type.startsWith("double precision") ? "double precision" : (type.split(" ")[0] ?? type);
}

/**
 * Names of the indexes that there are. Asking first matters: `create index if not exists` locks the table of an index that exists, too, against
 * writers who may lock in another order.
 */
export async function existingIndexes(session: Session): Promise<ReadonlySet<string>> {
  const text =
    session.executor.dialect === "sqlite"
      ? `select name from sqlite_master where type = 'index'`
      : "select indexname as name from pg_indexes where schemaname = current_schema()";
  const { rows } = await run(session, { text, values: [], writes: true, returns: "many" });
  return new Set(rows.map(({ name }) => String(name)));
}
