import { type BetterSqlite, openBetterSqlite } from "./betterSqlite.js";
import { type NodeSqlite, openNodeSqlite } from "./nodeSqlite.js";
import type { SqliteDriver, SqliteDriverName } from "./sqliteConnection.js";

const order: readonly SqliteDriverName[] = ["node:sqlite", "better-sqlite3", "libsql"];

/**
 * The SQLite driver of this process: that of Node if it has one, else `better-sqlite3` or `libsql` if installed.
 *
 * @throws {Error} if there is no driver, with the command that installs one
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
  throw new Error(`${adviceFor(wanted)} (${reasons.join("; ")})`);
}

function adviceFor(wanted: SqliteDriverName | undefined): string {
  if (wanted === "libsql") return 'The SQLite driver "libsql" cannot be loaded. Run: npm install libsql.';
  if (wanted === "node:sqlite") return 'The SQLite driver "node:sqlite" needs Node 22.13 or later.';
  return (
    "No SQLite driver was found. Run: npm install better-sqlite3, or where it can neither be downloaded nor compiled: npm install libsql. " +
    "Node 22.13 and later has a driver."
  );
}

function loadDriver(name: SqliteDriverName): SqliteDriver {
  if (name !== "node:sqlite") {
    const Database = loadPackage(name) as BetterSqlite;
    return { name, open: (path) => openBetterSqlite(Database, path) };
  }
  const module = process.getBuiltinModule(name) as (NodeSqlite & { readonly StatementSync?: { readonly prototype: object } }) | undefined;
  if (module?.StatementSync === undefined || !("iterate" in module.StatementSync.prototype)) {
    throw new Error(`Node ${process.versions.node} has no driver, or its driver is too old`);
  }
  return { name, open: (path) => openNodeSqlite(module, path) };
}

/**
 * Loads an optional package, relative to this file or its bundle. Bundlers must not see a `require` here: webpack would replace it with a function that finds
 * no package. A CommonJS bundle has no `import.meta.url`, but a `__filename`.
 */
function loadPackage(name: string): unknown {
  const { createRequire } = process.getBuiltinModule("node:module");
  return createRequire((import.meta.url as string | undefined) ?? __filename)(name);
}
