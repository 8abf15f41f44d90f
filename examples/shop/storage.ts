import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import type { Settings } from "./settings.js";

/** PostgreSQL where a database is named, else one SQLite file in the data folder. */
export function openStorage({ databaseUrl, dataDir }: Settings): Storage {
  if (databaseUrl !== undefined) return postgresStorage({ connectionString: databaseUrl });
  if (dataDir === ":memory:") return sqliteStorage({ path: ":memory:" });
  mkdirSync(dataDir, { recursive: true });
  return sqliteStorage({ path: join(dataDir, "shop.db") });
}
