import { join } from "node:path";
import type { Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { makeDataFolder } from "./dataFolder.js";
import type { Settings } from "./settings.js";

/** PostgreSQL if DATABASE_URL is set, otherwise one SQLite file in the data folder. */
export function openStorage({ databaseUrl, dataDir }: Settings): Storage {
  if (databaseUrl !== undefined) return postgresStorage({ connectionString: databaseUrl });
  if (dataDir === ":memory:") return sqliteStorage({ path: ":memory:" });
  makeDataFolder(dataDir);
  return sqliteStorage({ path: join(dataDir, "shop.db") });
}
