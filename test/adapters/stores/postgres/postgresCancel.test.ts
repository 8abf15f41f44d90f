// @long

import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import { QueryTimeout } from "../../../../src/ground/storage/errors.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { needs, postgresUrl } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const model: CollectionModel = {
  name: "slow notes",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "text", kind: "text", fold: true },
  ],
  unique: [],
  indexes: [],
  searchable: [["text"]],
};
const like: Filter = { op: "like", path: ["text"], parts: [{ any: "many" }, "x", { any: "many" }], fold: true };

describe("reads of PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString = "";
  let pool: pg.Pool;
  let other: pg.Client;
  /** Not the one that locks: within a transaction the server answers the same activity again. */
  let watcher: pg.Client;

  beforeAll(async () => {
    connectionString = `${await schema.create()}&application_name=slow_reads`;
    await postgresStorage({ connectionString }).migrate?.([model]);
    other = new pg.Client({ connectionString: postgresUrl });
    await other.connect();
    watcher = new pg.Client({ connectionString: postgresUrl });
    await watcher.connect();
    await other.query(`set search_path to ${new URL(connectionString).searchParams.get("options")?.slice("-c search_path=".length)}`);
  });
  afterEach(async () => {
    await other.query("rollback");
    await pool?.end();
  });
  afterAll(async () => {
    await other.end();
    await watcher.end();
    await schema.drop();
  });

  /** Every read of the table waits until the test is over. */
  async function lockTable(max: number) {
    pool = new pg.Pool({ connectionString, max });
    const notes = complete(postgresStorage({ pool }).collection(model));
    await other.query(`begin; lock table "${model.name}" in access exclusive mode`);
    return notes;
  }
  async function waiting(): Promise<number> {
    const { rows } = await watcher.query("select 1 from pg_stat_activity where application_name = 'slow_reads' and state = 'active'");
    return rows.length;
  }
  async function untilWaiting(count: number) {
    while ((await waiting()) < count) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  test("that ten clients go away from leave all connections free at once", async () => {
    const notes = await lockTable(10);
    const controller = new AbortController();
    const call = { signal: controller.signal };
    const reads = [
      ...Array.from({ length: 4 }, () => notes.find({ filter: like, sort: [], limit: 20 }, call)),
      ...Array.from({ length: 2 }, () => notes.count(like, call)),
      notes.get(1, call),
      notes.getMany([1, 2], call),
      notes.findGroups({ key: "id", keys: [1, 2], limit: 2 }, call),
      notes.iterate({ filter: like, sort: [], limit: 20 }, call)[Symbol.asyncIterator]().next(),
    ];
    await untilWaiting(10);
    const gone = new Error("The client went away.");
    controller.abort(gone);
    for (const outcome of await Promise.allSettled(reads)) expect(outcome).toEqual({ status: "rejected", reason: gone });
    const startedAt = performance.now();
    // All at once: one after another, the first connections that are free could serve all.
    const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    for (const client of clients) client.release();
    expect(await waiting()).toBe(0);
  });

  test("end with their budget, those that wait for a connection as well", async () => {
    const notes = await lockTable(1);
    const startedAt = performance.now();
    const reads = [notes.find({ filter: like, sort: [], limit: 20 }, { budgetMs: 200 }), notes.get(1, { budgetMs: 200 })];
    for (const outcome of await Promise.allSettled(reads)) {
      expect(outcome).toMatchObject({ status: "rejected" });
      expect(outcome.status === "rejected" && outcome.reason).toBeInstanceOf(QueryTimeout);
    }
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect((await pool.query("show statement_timeout")).rows).toEqual([{ statement_timeout: "0" }]);
    expect(await waiting()).toBe(0);
  });

  test("end with the statement_timeout of their role or connection if that is shorter", async () => {
    const address = new URL(connectionString);
    address.searchParams.set("options", `${address.searchParams.get("options")} -c statement_timeout=100`);
    await lockTable(1);
    const storage = postgresStorage({ connectionString: address.href });
    const startedAt = performance.now();
    await expect(complete(storage.collection(model)).count(like, { budgetMs: 20_000 })).rejects.toBeInstanceOf(QueryTimeout);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    await storage.close?.();
  });

  test("end on the server by themselves where they cannot be cancelled", async () => {
    const notes = await lockTable(1);
    pool.on("connect", (client) => Object.defineProperty(client, "processID", { get: () => undefined, set: () => {} }));
    // Connected before, so that the budget is spent on the server.
    await pool.query("select 1");
    const read = notes.count(like, { budgetMs: 300 });
    read.catch(() => {});
    await untilWaiting(1);
    await expect(read).rejects.toBeInstanceOf(QueryTimeout);
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    const startedAt = performance.now();
    while ((await waiting()) > 0 && performance.now() - startedAt < 3_000) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await waiting()).toBe(0);
  });

  test("in a transaction roll it back, and its connection goes on", async () => {
    const notes = await lockTable(1);
    const storage = postgresStorage({ pool });
    const controller = new AbortController();
    const reason = new Error("gone");
    const work = storage.transaction?.((tx) => tx.collection(model).find({ filter: like, sort: [], limit: 1 }, { signal: controller.signal }));
    work?.catch(() => {});
    await untilWaiting(1);
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
    await other.query("rollback");
    expect(await notes.count(undefined, {})).toBe(0);
  });

  test("that end by themselves as they are cancelled do no harm to the next statement of the connection", async () => {
    pool = new pg.Pool({ connectionString, max: 1 });
    const notes = complete(postgresStorage({ pool }).collection(model));
    for (let round = 0; round < 60; round++) {
      const controller = new AbortController();
      const read = pool.query("select 1").then(() => notes.count(like, { signal: controller.signal, budgetMs: 1 + (round % 4) }));
      const next = read.catch((error: unknown) => expect(error).toBeInstanceOf(QueryTimeout)).then(() => pool.query("select pg_sleep(0.002)"));
      await Promise.all([read.catch(() => {}), next]);
    }
  });
});
