import { createRequire } from "node:module";
import { type BetterSqlite, openBetterSqlite } from "./betterSqlite.js";
import { type NodeSqlite, openNodeSqlite } from "./nodeSqlite.js";
import type { SqliteDriver, SqliteDriverName } from "./sqliteConnection.js";

const load = createRequire(import.meta.url);

const order: readonly SqliteDriverName[] = ["node:sqlite", "better-sqlite3", "libsql"];

/**
 * The SQLite driver of this process: the one that is part of Node where there is one, else `better-sqlite3` or `libsql` if installed.
 *
 * @throws {Error} naming the command that installs one
 */
export function loadSqliteDriver(wanted?: SqliteDriverName): SqliteDriver {
  const reasons: string[] = [];
  for (const name of wanted === undefined ? order : [wanted]) {
    try {
      return loadDriver(name);
    } catch (error) {
      reasons.push(`${name}: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
    }
  }
  throw new Error(`There is no SQLite driver. Run: npm i libsql, or use Node 22.13 or later, which has one. (${reasons.join("; ")})`);
}

function loadDriver(name: SqliteDriverName): SqliteDriver {
  if (name !== "node:sqlite") {
    const Database = load(name) as BetterSqlite;
    return { name, open: (path) => openBetterSqlite(Database, path) };
  }
  const module = process.getBuiltinModule(name) as (NodeSqlite & { readonly StatementSync?: { readonly prototype: object } }) | undefined;
  if (module?.StatementSync === undefined || !("iterate" in module.StatementSync.prototype)) {
    throw new Error(`Node ${process.versions.node} has none, or one too old`);
  }
  return { name, open: (path) => openNodeSqlite(module, path) };
}
