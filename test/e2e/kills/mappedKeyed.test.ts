// @long

import { expect, onTestFinished, test } from "vitest";
import { ownPrefix } from "../../adapters/stores/redis/redisServer.js";
import { randomOf } from "../../fuzz/random.js";
import { redisUrl, variants } from "../../tools/engines.js";
import { killsOf } from "../../tools/extent.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { keyedWhileKilled } from "./keyedWhileKilled.js";
import { type KeyedTable, postgresKeyedTable, sqliteKeyedTable } from "./mappedKeyed.js";

const kills = killsOf(6);

async function expectOneRowEach(table: KeyedTable, workers: number, records: Readonly<Record<string, string>> = {}): Promise<void> {
  const random = randomOf(20_261_126);
  const environment = { ...table.environment, ...records };
  const report = await keyedWhileKilled({ kills, workers, clients: 6, environment, batchItems: 3, aliveMs: () => 100 + random() * 150 });
  expect(report.faults).toEqual([]);
  expect(report.rows).toBe(report.expectedRows);
  expect(report.keys).toBeGreaterThan(kills);
  expect(await table.faults()).toEqual([]);
}

async function postgresTable(): Promise<KeyedTable> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  onTestFinished(() => schema.drop());
  return postgresKeyedTable(connectionString);
}

const [onSqlite, onPostgres, withRedis] = variants([], ["postgres"], ["postgres", "redis"]);

test(`${kills} kills while a SQLite table of a developer is written: each key has made its rows once`, {
  ...onSqlite,
  timeout: 120_000,
}, async () => {
  await expectOneRowEach(await sqliteKeyedTable(`${temporaryFolder()}/keyed.db`), 1);
});

test(
  `${kills} kills of two processes on a PostgreSQL table of a developer: each key has made its rows once (set POSTGRES_URL to run)`,
  { ...onPostgres, timeout: 120_000 },
  async () => expectOneRowEach(await postgresTable(), 2),
);

test(
  `${kills} kills, records in Redis, rows in a PostgreSQL table of a developer: each key has made its rows once (set POSTGRES_URL and REDIS_URL to run)`,
  { ...withRedis, timeout: 120_000 },
  async () => expectOneRowEach(await postgresTable(), 2, { RECORDS_REDIS_URL: redisUrl ?? "", RECORDS_PREFIX: ownPrefix().prefix }),
);
