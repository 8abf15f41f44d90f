import { statSync } from "node:fs";
import { dialects } from "../../stores/sql/engine/engines.js";
import type { SqlExecutor } from "../../stores/sql/engine/executor.js";
import { run, type Session } from "../../stores/sql/engine/session.js";
import { loadSqliteDriver } from "../../stores/sql/engine/sqlite/sqliteDriver.js";
import { openReader } from "../../stores/sql/engine/sqlite/sqliteFile.js";
import { executeStatement } from "../../stores/sql/engine/sqlite/sqliteStatement.js";
import { readSqliteCatalogs } from "../../stores/sql/mapped/sqlite/readCatalog.js";
import { CommandError } from "../commandError.js";
import type { FoundTable } from "./describeTables.js";
import { readStoredInstants } from "./storedInstants.js";

/** What this library made, and the tables behind virtual ones, are not the developer's. */
const tables = `
  select t.name from pragma_table_list t
  where t.schema = 'main' and t.type in ('table', 'view') and t.name not like 'sqlite\\_%' escape '\\' and t.name not like '%\\_restwright' escape '\\' and t.name not like '%\\_restwright\\_%' escape '\\'
    and (select count(*) from pragma_table_info(t.name) where name in ('_tenant', '_version')) < 2
  order by t.name`;

/**
 * The tables and views of a SQLite file. The file is not written.
 *
 * @param names empty for all
 * @throws {CommandError} if there is no such file
 */
export async function readSqliteTables(file: string, names: readonly string[]): Promise<readonly FoundTable[]> {
  // SQLite would make it.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new CommandError(`There is no file "${file}".`);
  const connection = openReader(loadSqliteDriver(), file);
  try {
    const executor: SqlExecutor = {
      dialect: "sqlite",
      query: async (statement) => executeStatement(connection, statement),
      transaction: (work) => work(executor),
    };
    const session: Session = { executor, dialect: dialects.sqlite, inTransaction: true };
    const { rows } = await run(session, { text: tables, values: [], writes: false, returns: "many" });
    const listed = rows.map(({ name }) => String(name)).filter((name) => names.length === 0 || names.includes(name));
    const catalogs = await readSqliteCatalogs(session, listed);
    const known = new Map(
      listed.flatMap((name, index) => {
        const catalog = catalogs[index];
        return catalog === undefined ? [] : [[name, catalog] as const];
      }),
    );
    const instants = await readStoredInstants(session, known);
    return [...known].map(([name, catalog], index) => ({ table: { schema: "main", name, isVisible: true }, catalog, instants: instants[index] }));
  } finally {
    connection.close();
  }
}
