// @long

import { expect, onTestFinished, test } from "vitest";
import { ownPrefix } from "../../adapters/stores/redis/redisServer.js";
import { redisUrl, variants } from "../../tools/engines.js";
import { killsOf } from "../../tools/extent.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { keyedWhileKilled } from "./keyedWhileKilled.js";

const kills = killsOf(8);
const aliveMs = (kill: number) => 100 + ((kill * 37) % 150);

function judge(report: Awaited<ReturnType<typeof keyedWhileKilled>>): void {
  expect(report.faults).toEqual([]);
  expect(report.rows).toBe(report.expectedRows);
  expect(report.keys).toBeGreaterThan(kills);
}

const [onSqlite, onPostgres, withRedis] = variants([], ["postgres"], ["postgres", "redis"]);

test(`${kills} kills on SQLite: as many rows as keys`, { ...onSqlite, timeout: 120_000 }, async () => {
  const environment = { SQLITE_PATH: `${temporaryFolder()}/keyed.db` };
  judge(await keyedWhileKilled({ kills, workers: 1, clients: 8, environment, aliveMs }));
});

test(`${kills} kills, four processes on one PostgreSQL (set POSTGRES_URL to run)`, { ...onPostgres, timeout: 120_000 }, async () => {
  const schema = ownSchema();
  const environment = { DATABASE_URL: await schema.create() };
  onTestFinished(() => schema.drop());
  judge(await keyedWhileKilled({ kills, workers: 4, clients: 8, environment, aliveMs }));
});

test(`${kills} kills, records in Redis, rows in PostgreSQL (set POSTGRES_URL and REDIS_URL to run)`, {
  ...withRedis,
  timeout: 120_000,
}, async () => {
  const schema = ownSchema();
  const environment = { DATABASE_URL: await schema.create(), RECORDS_REDIS_URL: redisUrl ?? "", RECORDS_PREFIX: ownPrefix().prefix };
  onTestFinished(() => schema.drop());
  judge(await keyedWhileKilled({ kills, workers: 2, clients: 8, environment, aliveMs }));
});
