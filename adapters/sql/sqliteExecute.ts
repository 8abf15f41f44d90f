import type { SqlResult, SqlStatement } from "./executor.js";
import type { SqliteConnection } from "./sqliteConnection.js";

/** Runs one statement on a connection by the shortest way for the rows that it answers. */
export function executeStatement(connection: SqliteConnection, { text, values, returns, bigints = false }: SqlStatement): SqlResult {
  if (returns === "none") return { rows: [], affected: connection.run(text, values) };
  if (returns === "many") {
    const rows = connection.all(text, values, bigints);
    return { rows, affected: rows.length };
  }
  const row = connection.first(text, values, bigints);
  return row === undefined ? { rows: [], affected: 0 } : { rows: [row], affected: 1 };
}
