// @long

import { expect, onTestFinished, test } from "vitest";
import { randomOf } from "../../../fuzz/random.js";
import { variants } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { subscribersWhileKilled } from "./subscriberKillRun.js";

const kills = 5;
const outcome = "each committed write is handled by each subscriber under one id, and nothing that was rolled back";

async function run(workers: number, folder: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const random = randomOf(20_261_124);
  const report = await subscribersWhileKilled({ kills, workers, clients: 2, folder, environment, random, aliveMs: () => 100 + random() * 350 });
  expect(report.faults).toEqual([]);
  expect(report.rows).toBeGreaterThan(1);
  expect(report.events).toBeGreaterThan(report.rows);
}

const [onSqlite, onPostgres] = variants([], ["postgres"]);

test(`${kills} kills on SQLite: ${outcome}`, { ...onSqlite, timeout: 150_000 }, async () => {
  const folder = temporaryFolder();
  await run(1, folder, { SQLITE_PATH: `${folder}/subscribers.db` });
});

test(`${kills} kills, two processes on one PostgreSQL: ${outcome} (set POSTGRES_URL to run)`, {
  ...onPostgres,
  timeout: 150_000,
}, async () => {
  const schema = ownSchema();
  const environment = { DATABASE_URL: await schema.create() };
  onTestFinished(() => schema.drop());
  await run(2, temporaryFolder(), environment);
});
