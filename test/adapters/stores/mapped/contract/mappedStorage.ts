import type pg from "pg";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { type DevelopersTable, developersTable, type TableStyle } from "./developersTable.js";
import { overTables } from "./overTables.js";

/**
 * A storage whose collections are tables of a developer: each model that is migrated gets a table by plain SQL, and is mapped to it.
 *
 * @param base the storage that maps the tables
 * @param pool runs the developer's statements
 */
export function mappedStorage(base: Storage, pool: pg.Pool, style: TableStyle): Storage {
  return overTables(
    base,
    (model) => developersTable(model, style),
    (table) => create(pool, table),
  );
}

/** Creates the table, or the columns that it lacks, unless another has done so. */
async function create(pool: pg.Pool, { statements, additions, model }: DevelopersTable): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(4711)");
    const { rows } = await client.query("select to_regclass($1)::text as known", [`"${String(model.table?.options.name).replaceAll('"', '""')}"`]);
    for (const text of rows[0].known === null ? statements : additions) await client.query(text);
    await client.query("commit");
  } finally {
    client.release();
  }
}
