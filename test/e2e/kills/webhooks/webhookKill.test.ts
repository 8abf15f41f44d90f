// @long

import { expect, onTestFinished, test } from "vitest";
import { randomOf } from "../../../fuzz/random.js";
import { variants } from "../../../tools/engines.js";
import { killsOf } from "../../../tools/extent.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { webhooksWhileKilled } from "./webhookKillRun.js";

const kills = killsOf(6);
const outcome = "each committed write is told to each webhook under one id, and nothing that was rolled back";

async function run(workers: number, environment: Readonly<Record<string, string>>): Promise<void> {
  const random = randomOf(20_261_121);
  const report = await webhooksWhileKilled({ kills, workers, clients: 2, environment, random, aliveMs: () => 100 + random() * 350 });
  expect(report.faults).toEqual([]);
  expect(report.rows).toBeGreaterThan(1);
  expect(report.events).toBeGreaterThan(report.rows);
}

const [onSqlite, onPostgres] = variants([], ["postgres"]);

test(`${kills} kills on SQLite: ${outcome}`, { ...onSqlite, timeout: 150_000 }, async () => {
  await run(1, { SQLITE_PATH: `${temporaryFolder()}/webhooks.db` });
});

test(`${kills} kills, two processes on one PostgreSQL: ${outcome} (set POSTGRES_URL to run)`, {
  ...onPostgres,
  timeout: 150_000,
}, async () => {
  const schema = ownSchema();
  const environment = { DATABASE_URL: await schema.create() };
  onTestFinished(() => schema.drop());
  await run(2, environment);
});
