// @long

import { expect, onTestFinished, test } from "vitest";
import { randomOf } from "../../fuzz/random.js";
import { variants } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { changedWhileServing } from "./schemaChangeRun.js";

const outcome = "two releases at the same time through a renamed, a defaulted, a backfilled and a required field: no failed request, no lost value";

async function run(environment: Readonly<Record<string, string>>): Promise<void> {
  const report = await changedWhileServing({ clients: 3, stepMs: 400, environment, random: randomOf(20_261_126) });
  expect(report.faults.slice(0, 20)).toEqual([]);
  expect(report.lateRows).toBeGreaterThan(0);
}

const [onSqlite, onPostgres] = variants([], ["postgres"]);

test(`${outcome}, on SQLite`, { ...onSqlite, timeout: 120_000 }, () => run({ SQLITE_PATH: `${temporaryFolder()}/items.db` }));

test(`${outcome}, on PostgreSQL (set POSTGRES_URL to run)`, { ...onPostgres, timeout: 120_000 }, async () => {
  const schema = ownSchema();
  const environment = { DATABASE_URL: await schema.create() };
  onTestFinished(() => schema.drop());
  await run(environment);
});
