// @slow

import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlExecutor, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import type { ClaimRequest } from "../../../../../src/ground/storage/queue/jobs.js";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import { watched } from "../../../../tools/storage/sqlEngines.js";
import { claimRequest, fillQueue, type JobQueue, jobQueues, storeOf } from "./jobQueues.js";

/** Nothing of the queue may be read but what is claimed, and what stands beside it. */
const mostRows = 300;

/** The engine as it is after many rows were added, and as soon as it knows them. */
const states = { "before it knows the rows": "select 1", "when it knows the rows": 'analyze "_restwright_jobs"' };

class RolledBack extends Error {}

/** Claims twice, as a worker whose last jobs are in progress, and describes how the second claim was run. */
async function plansOf(executor: SqlExecutor, state: string): Promise<{ readonly taken: number; readonly plans: string }> {
  await executor.query({ text: state, values: [], writes: true, returns: "none" });
  const plans: string[] = [];
  const statements: SqlStatement[] = [];
  let taken = 0;
  const claimTwice = executor.transaction(async (tx) => {
    const jobs = storeOf(sqlStorage(watched(tx, statements)));
    const first: ClaimRequest["after"] = (await jobs.claim(claimRequest)).at(-1);
    statements.length = 0;
    taken = (await jobs.claim({ ...claimRequest, after: first })).length;
    // PostgreSQL runs what it explains, and SQLite cannot end the transaction of what it has explained.
    if (tx.dialect === "postgres") for (const statement of statements) plans.push(await explain(tx, statement));
    throw new RolledBack("So that the next state has the same queue.");
  });
  await expect(claimTwice).rejects.toThrow(RolledBack);
  if (executor.plan !== undefined) for (const statement of statements) plans.push(...(await executor.plan(statement)));
  return { taken, plans: plans.join("\n") };
}

async function explain(executor: SqlExecutor, statement: SqlStatement): Promise<string> {
  const { rows } = await executor.query({ ...statement, text: `explain (analyze, costs off) ${statement.text}`, writes: false, returns: "many" });
  return rows.map((row) => String(row["QUERY PLAN"])).join("\n");
}

/** The rows of jobs that PostgreSQL read, those that it dropped included. */
function rowsRead(plans: string): number {
  let rows = 0;
  for (const [, each, loops] of plans.matchAll(/Scan .*on "?_restwright_jobs.*rows=(\d+) loops=(\d+)/g)) rows += Number(each) * Number(loops);
  for (const [, dropped] of plans.matchAll(/Rows Removed by (?:Filter|Index Recheck): (\d+)/g)) rows += Number(dropped);
  return rows;
}

const cases = jobQueues.flatMap((queue) => Object.entries(states).map(([when, state]) => ({ name: `${queue.name}, ${when}`, queue, state })));

describe("a claim of jobs on SQLite", () => {
  const executors = new Map<JobQueue, SqlExecutor>();
  beforeAll(async () => {
    for (const queue of jobQueues) {
      const executor = sqliteExecutor({ path: ":memory:" });
      executors.set(queue, executor);
      const storage = sqlStorage(executor);
      await storage.migrate?.([]);
      await fillQueue(storeOf(storage), queue, executor);
    }
  });
  afterAll(async () => {
    for (const executor of executors.values()) await executor.close?.();
  });

  test.each(cases)("walks over an index of ready jobs: $name", async ({ queue, state }) => {
    const { taken, plans } = await plansOf(executors.get(queue) ?? expect.fail(), state);
    expect(taken).toBe(claimRequest.max);
    expect(plans).toContain("SEARCH ahead USING INDEX _restwright_jobs:ready (type=? AND tenant>?)");
    expect(plans).toContain("SEARCH later USING INDEX _restwright_jobs:later");
    expect(plans).not.toMatch(/SCAN (?:ahead|later|live|held|free_|job)\b/);
    expect(plans).not.toContain("AUTOMATIC");
  });
});

describe("a claim of jobs on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schemas = new Map(jobQueues.map((queue) => [queue, ownSchema()]));
  const executors = new Map<JobQueue, SqlExecutor>();
  beforeAll(async () => {
    for (const [queue, schema] of schemas) {
      const connectionString = await schema.create();
      const storage = postgresStorage({ connectionString });
      await storage.migrate?.([]);
      const executor = postgresExecutor({ connectionString });
      executors.set(queue, executor);
      await fillQueue(storeOf(storage), queue, executor);
      await storage.close?.();
    }
  });
  afterAll(async () => {
    for (const executor of executors.values()) await executor.close?.();
    for (const schema of schemas.values()) await schema.drop();
  });

  test.each(cases)("reads few rows, and compiles nothing: $name", async ({ queue, state }) => {
    const { taken, plans } = await plansOf(executors.get(queue) ?? expect.fail(), state);
    expect(taken).toBe(claimRequest.max);
    expect(plans).toContain('"_restwright_jobs:ready" on _restwright_jobs ahead');
    expect(plans).not.toContain("Seq Scan on _restwright_jobs ");
    expect(plans).not.toContain("JIT");
    expect(rowsRead(plans)).toBeGreaterThan(0);
    expect(rowsRead(plans)).toBeLessThan(mostRows);
  });
});

describe("jobs of a database from before claims walked over ready jobs", () => {
  test("are claimed when they are due, and get the indexes of that walk when it is migrated", async () => {
    const executor = sqliteExecutor({ path: ":memory:" });
    const storage = sqlStorage(executor);
    const write = (text: string) => executor.query({ text, values: [], writes: true, returns: "none" });
    const indexes = async () => {
      const text = `select name from sqlite_master where type = 'index' and tbl_name = '_restwright_jobs' and sql is not null order by name`;
      return (await executor.query({ text, values: [], writes: false, returns: "many" })).rows.map(({ name }) => String(name).replace(/.*:/, ""));
    };
    await storage.migrate?.([]);
    for (const name of ["ready", "later", "free", "queued", "key"]) await write(`drop index "_restwright_jobs:${name}"`);
    await write(`create index "_restwright_jobs:waiting" on "_restwright_jobs" ("number") where "finished" is null`);
    await storage.migrate?.([]);
    expect(await indexes()).toEqual(["finished", "free", "held", "key", "later", "queued", "ready", "waiting"]);
    const jobs = storeOf(storage);
    for (const id of ["released", "waits"]) await jobs.create({ id, type: "import", tenant: "acme", owner: "ada", input: 1 });
    // As a release without a pause was stored then.
    await write(`update "_restwright_jobs" set "due" = unixepoch() * 1000 where "id" = 'released'`);
    await write(`update "_restwright_jobs" set "due" = unixepoch() * 1000 + 60000 where "id" = 'waits'`);
    expect((await jobs.claim(claimRequest)).map(({ id }) => id)).toEqual(["released"]);
    await executor.close?.();
  });

  test("become ready 200 at a time, and each is claimed once", async () => {
    const storage = sqliteStorage({ path: ":memory:" });
    await storage.migrate?.([]);
    const jobs = storeOf(storage);
    for (let index = 0; index < 250; index++) await jobs.create({ id: `${index}`, type: "import", tenant: "acme", owner: "ada", input: 1 });
    const all = { types: ["import"], leaseMs: 60_000, max: 250, maxPerTenant: 250 };
    for (const { lease, id } of await jobs.claim(all)) await jobs.release(lease, { delayMs: Number(id) < 50 ? 20 : 1, failed: true });
    await new Promise((resolve) => setTimeout(resolve, 40));
    const claimed = [await jobs.claim(all), await jobs.claim(all)].map((some) => some.map(({ id }) => Number(id)));
    expect(claimed.map(({ length }) => length)).toEqual([200, 50]);
    expect(new Set(claimed.flat()).size).toBe(250);
    await storage.close?.();
  });
});
