import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll } from "vitest";
import type { SqlExecutor, SqlStatement } from "../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import type { Storage } from "../../../src/ground/storage/storage.js";
import { postgresUrl } from "../engines.js";
import { ownSchema } from "./postgresSchema.js";

/** One database, opened as often as there are processes. */
export interface SqlEngine {
  openStorage(): Storage;
  openExecutor(): SqlExecutor;
}

/**
 * The engines that there are, by their names, each with a database that is gone when all tests have run; PostgreSQL only where POSTGRES_URL is set.
 *
 * @param poolSize connections of one storage on PostgreSQL
 */
export function sqlEngines(poolSize: number): Record<string, () => Promise<SqlEngine>> {
  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  const path = join(folder, "data.db");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const sqlite = async (): Promise<SqlEngine> => ({ openStorage: () => sqliteStorage({ path }), openExecutor: () => sqliteExecutor({ path }) });
  if (postgresUrl === undefined) return { SQLite: sqlite };
  const schema = ownSchema();
  afterAll(() => schema.drop());
  const postgres = async (): Promise<SqlEngine> => {
    const connectionString = await schema.create();
    return { openStorage: () => postgresStorage({ connectionString, poolSize }), openExecutor: () => postgresExecutor({ connectionString }) };
  };
  return { SQLite: sqlite, PostgreSQL: postgres };
}

/** The executor, and what was asked of it, transactions included. */
export function watched(executor: SqlExecutor, statements: SqlStatement[]): SqlExecutor {
  return {
    dialect: executor.dialect,
    query: (statement) => {
      statements.push(statement);
      return executor.query(statement);
    },
    transaction: (run, options) => executor.transaction((tx) => run(watched(tx, statements)), options),
  };
}
