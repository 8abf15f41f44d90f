// @long

import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { measureFairness } from "./fairnessStage.js";

const outcome = "twenty healthy webhooks do not wait for one that hangs with 10,000 deliveries behind it";

/** An attempt that hangs takes up to 32 s. Tenths of a second are measured by test/long/kills/webhooks.ts; here other tests and a stall of some seconds have their share. */
const [maxP50Ms, maxP99Ms] = [3_000, 15_000];

test(`on SQLite ${outcome}`, async () => {
  const { p50Ms, p99Ms } = await measureFairness({ rows: 10_000, path: `${temporaryFolder()}/fair.db` });
  expect(p50Ms).toBeLessThan(maxP50Ms);
  expect(p99Ms).toBeLessThan(maxP99Ms);
});

test(`on PostgreSQL ${outcome} (set POSTGRES_URL to run)`, needs("postgres"), async () => {
  const schema = ownSchema();
  const connectionString = await schema.create();
  onTestFinished(() => schema.drop());
  const { p50Ms, p99Ms } = await measureFairness({ rows: 10_000, connectionString });
  expect(p50Ms).toBeLessThan(maxP50Ms);
  expect(p99Ms).toBeLessThan(maxP99Ms);
});
