import type { SqlExecutor, SqlStatement } from "../../../../../../adapters/stores/sql/engine/executor.js";
import { sqliteExecutor } from "../../../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";

/** A connection that takes the parameters of `loftDialect`, and has only what an executor must have. */
export function loftExecutor(path: string, sent: string[] = []): SqlExecutor {
  const sqlite = sqliteExecutor({ path });
  return { ...over(sqlite, sent), queue: sqlite.queue, close: async () => sqlite.close?.() };
}

function over(executor: SqlExecutor, sent: string[]): SqlExecutor {
  return {
    // No name of an engine: nothing may ask for it.
    dialect: "loft" as SqlExecutor["dialect"],
    query(statement) {
      sent.push(statement.text);
      return executor.query(translated(statement));
    },
    transaction: (run, options) => executor.transaction((tx) => run(over(tx, sent)), options),
  };
}

/** `@p1`, `@p2` … as the parameters that SQLite counts. */
function translated(statement: SqlStatement): SqlStatement {
  const values: unknown[] = [];
  const text = statement.text.replaceAll(/@p(\d+)/g, (_, position) => {
    values.push(statement.values[Number(position) - 1]);
    return "?";
  });
  return { ...statement, text, values };
}
