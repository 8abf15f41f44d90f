// @slow

import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { needs, postgresUrl } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const model: CollectionModel = {
  name: "locked notes",
  id: "id",
  idFrom: "caller",
  columns: [{ name: "id", kind: "int" }],
  unique: [],
  indexes: [],
  searchable: [],
};

describe("writes of PostgreSQL while another program locks their table (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString = "";
  let other: pg.Client;
  let pool: pg.Pool;

  beforeAll(async () => {
    connectionString = await schema.create();
    await postgresStorage({ connectionString }).migrate?.([model]);
    other = new pg.Client({ connectionString });
    await other.connect();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await other.query("rollback");
    await pool?.end();
  });
  afterAll(async () => {
    await other.end();
    await schema.drop();
  });

  const call = { tenant: "", id: "client" } as const;
  const rowOf = (id: number) => ({ id, _version: "1", _updatedAt: new Date(0) });
  const storageOf = (options: pg.PoolConfig = {}) => {
    pool = new pg.Pool({ connectionString, max: 2, ...options });
    return postgresStorage({ pool });
  };
  const lockTable = () => other.query(`begin; lock table "${model.name}" in share mode`);
  async function untilWaiting(): Promise<void> {
    const text = "select 1 from pg_locks where not granted and relation = $1::regclass";
    while ((await other.query(text, [`"${model.name}"`])).rows.length === 0);
  }

  test("of one row end, have written nothing, and leave their connection free", async () => {
    const storage = storageOf({ max: 1 });
    const notes = complete(storage.collection(model));
    await pool.query("select 1");
    await lockTable();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const write = notes.insert(rowOf(1), call);
    const outcome = write.catch((error: unknown) => error);
    await untilWaiting();
    vi.advanceTimersByTime(30_000);
    vi.useRealTimers();
    expect(await outcome).toBeInstanceOf(Unavailable);
    expect(String(await outcome)).toContain("Another program may lock its table.");
    await other.query("rollback");
    expect(await notes.get(1, {})).toBeUndefined();
    expect(await notes.insert(rowOf(1), call)).toMatchObject({ ok: true });
  });

  test("in a transaction wait as long as the developer says", async () => {
    const storage = storageOf({
      options: `${new URL(connectionString).searchParams.get("options")} -c lock_timeout=150`,
      connectionString: postgresUrl,
    });
    await lockTable();
    const write = storage.transaction?.((tx) => complete(tx.collection(model)).insert(rowOf(2), call));
    const error = await write?.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Unavailable);
    expect(String(error)).toContain("another program keeps a lock that the statement waited for");
    expect((await pool.query("show lock_timeout")).rows).toEqual([{ lock_timeout: "150ms" }]);
  });

  test("in a transaction wait for five seconds if the developer says nothing, and leave the connection as it was", async () => {
    const storage = storageOf({ max: 1 });
    expect(await storage.transaction?.(async (tx) => tx.sql?.("show lock_timeout", []))).toEqual([{ lock_timeout: "5s" }]);
    expect((await pool.query("show lock_timeout")).rows).toEqual([{ lock_timeout: "0" }]);
  });

  test("that find no free connection say so", async () => {
    const storage = storageOf({ max: 1, connectionTimeoutMillis: 2_000 });
    const held = await pool.connect();
    const write = complete(storage.collection(model)).insert(rowOf(3), call);
    await expect(write).rejects.toThrow("no connection of the pool was free in time");
    held.release();
  });
});
