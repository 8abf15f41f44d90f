import type { SqlRow } from "../engine/executor.js";
import type { CatalogQuery } from "../engine/schemaDialect.js";
import { run, type Session } from "../engine/session.js";

/** Whether the schema of the tables of a storage is missing. */
export async function isSchemaMissing(session: Session): Promise<boolean> {
  const { place, schema } = session.dialect;
  if (place.schema === undefined || schema.findSchema === undefined) return false;
  return (await run(session, { ...schema.findSchema(place.schema), writes: true, returns: "one" })).rows.length === 0;
}

/** The columns of tables in the database, with their types in lower case; a table that does not exist has no entry. */
export async function existingColumns(session: Session, tables: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const { place, schema } = session.dialect;
  const found = new Map<string, Map<string, string>>();
  for (const { table, name, type } of await rowsOf(session, schema.columns(tables, place.schema))) {
    const columns = found.get(String(table)) ?? new Map<string, string>();
    found.set(String(table), columns.set(String(name), String(type).toLowerCase()));
  }
  return found;
}

/**
 * The existing indexes, with the names of their tables. `create index if not exists` locks the table even if the index exists, and can deadlock with writers; so
 * it only runs for indexes that are missing.
 */
export async function existingIndexes(session: Session): Promise<ReadonlyMap<string, string>> {
  const { place, schema } = session.dialect;
  const rows = await rowsOf(session, schema.indexes(place.schema));
  return new Map(rows.map(({ name, table }) => [String(name), String(table)]));
}

/** The names of the tables that have the columns which this library adds to each table of a collection, and of its other tables. */
export async function existingTables(session: Session): Promise<readonly string[]> {
  const { place, schema } = session.dialect;
  const reserved = `('_tenant', '_version', '_updatedAt', '_operationId')`;
  return (await rowsOf(session, schema.tables(reserved, place.schema))).map(({ table }) => String(table)).sort();
}

/** Reads where the migration writes. */
async function rowsOf(session: Session, query: CatalogQuery): Promise<readonly SqlRow[]> {
  return (await run(session, { ...query, writes: true, returns: "many" })).rows;
}
