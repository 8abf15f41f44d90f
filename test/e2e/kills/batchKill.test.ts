// @long

import { expect, onTestFinished, test } from "vitest";
import { variants } from "../../tools/engines.js";
import { killsOf } from "../../tools/extent.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { sendAtomic, sendJob, sendKeyed } from "./batchClients.js";
import { batchesWhileKilled } from "./batchesWhileKilled.js";

const kills = killsOf(6);
const clients = [sendAtomic, sendKeyed, sendJob];
/** Long enough for a slice or two, and different each time. */
const aliveMs = (kill: number) => 150 + ((kill * 137) % 350);
const outcome = "atomic batches whole or not at all, each row of a batch under a key or of a job once";

async function run(workers: number, environment: Readonly<Record<string, string>>): Promise<void> {
  const report = await batchesWhileKilled({ kills, workers, clients, environment, aliveMs });
  expect(report.faults).toEqual([]);
  // The clients with a key do not give up; on a slow machine no atomic batch need be answered.
  expect(report.answered).toBeGreaterThanOrEqual(2);
  expect(report.retried).toBeGreaterThan(0);
}

const [onSqlite, onPostgres] = variants([], ["postgres"]);

test(`${kills} kills on SQLite: ${outcome}`, { ...onSqlite, timeout: 120_000 }, async () => {
  await run(1, { SQLITE_PATH: `${temporaryFolder()}/batches.db` });
});

test(`${kills} kills, two processes on one PostgreSQL: ${outcome} (set POSTGRES_URL to run)`, {
  ...onPostgres,
  timeout: 120_000,
}, async () => {
  const schema = ownSchema();
  const environment = { DATABASE_URL: await schema.create() };
  onTestFinished(() => schema.drop());
  await run(2, environment);
});
