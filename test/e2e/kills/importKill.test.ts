// @long

import { expect, onTestFinished, test } from "vitest";
import { variants } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { importsWhileKilled } from "./importsWhileKilled.js";

const kills = 5;
const rows = 12_000;
/** Long enough for a few chunks, and different each time. */
const aliveMs = (kill: number) => 150 + ((kill * 137) % 350);
const outcome = "each row of each file is there once, or in the report";

async function run(workers: number, environment: Readonly<Record<string, string>>, pauses: boolean): Promise<void> {
  const report = await importsWhileKilled({
    kills,
    workers,
    clients: 2,
    rows,
    aliveMs,
    pauses,
    environment: { ...environment, BLOBS_PATH: `${temporaryFolder()}/blobs` },
  });
  expect(report.faults).toEqual([]);
  expect(report.completed).toBeGreaterThanOrEqual(2);
}

const [onSqlite, onPostgres] = variants([], ["postgres"]);

test(`${kills} kills on SQLite: ${outcome}`, { ...onSqlite, timeout: 120_000 }, async () => {
  await run(1, { SQLITE_PATH: `${temporaryFolder()}/imports.db` }, false);
});

test(`${kills} kills, two processes on one PostgreSQL that are also stopped for longer than their leases: ${outcome} (set POSTGRES_URL to run)`, {
  ...onPostgres,
  timeout: 120_000,
}, async () => {
  const schema = ownSchema();
  const environment = { DATABASE_URL: await schema.create() };
  onTestFinished(() => schema.drop());
  await run(2, environment, true);
});
