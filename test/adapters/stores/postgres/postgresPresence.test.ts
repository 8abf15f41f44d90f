// @slow

import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { PostgresPresence } from "../../../../adapters/stores/sql/engine/postgres/beside/postgresPresence.js";
import type { PostgresPool } from "../../../../adapters/stores/sql/engine/postgres/postgresPool.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { needs, postgresUrl } from "../../../tools/engines.js";
import { eventually } from "../../../tools/eventually.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

type Stores = { readonly [name in keyof Required<Storage>]: NonNullable<Storage[name]> };

const pools: pg.Pool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

function openPool(connectionString = postgresUrl): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4 });
  pools.push(pool);
  return pool;
}

/** What a client is of a pooler in transaction mode: each statement is on a connection of the pooler, and the number of its process is not that of the server. */
function behindPooler(pool: pg.Pool, isLocking = { count: 0 }): PostgresPool {
  class Client {
    readonly processID = 7;
    connect = async () => {};
    end = async () => {};
    on = () => this;
    query = async (query: { readonly text: string }) => {
      if (query.text.includes("pg_advisory_lock")) isLocking.count += 1;
      return pool.query(query);
    };
  }
  return {
    query: (query: object) => pool.query(query as pg.QueryConfig),
    connect: () => pool.connect(),
    end: async () => {},
    Client,
    options: {},
  } as unknown as PostgresPool;
}

const presenceOn = (pool: PostgresPool) => {
  const presence = new PostgresPresence(async () => pool);
  onTestFinished(() => presence.end());
  return presence;
};

const warningsOf = () => {
  const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => emit.mockRestore());
  return () => emit.mock.calls.map(([message]) => String(message));
};

const backendOf = `select pid from pg_locks where locktype = 'advisory' and objid = $1`;

describe("presence on PostgreSQL", needs("postgres"), () => {
  test("is known while the lock is seen, and a process that ended is dead", async () => {
    const pool = openPool() as unknown as PostgresPool;
    const [one, other] = [presenceOn(pool), presenceOn(pool)];
    const [first, second] = [await one.holder(), await other.holder()];
    expect([first, second]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(await one.dead([Number(second)])).toEqual([]);
    await other.end();
    await eventually(async () => expect(await one.dead([Number(second)])).toEqual([second]));
  });

  test("is unknown behind a pooler: nothing is locked, nobody is judged, and one warning says so", async () => {
    const warnings = warningsOf();
    const locking = { count: 0 };
    const pooled = presenceOn(behindPooler(openPool(), locking));
    expect([await pooled.holder(), await pooled.holder(), await pooled.dead([1, 2])]).toEqual([undefined, undefined, []]);
    expect(locking.count).toBe(0);
    expect(warnings()).toEqual([expect.stringContaining("behind a pooler, such as PgBouncer")]);
  });

  test("is found again within seconds where its connection ends without a word", { timeout: 60_000 }, async () => {
    const pool = openPool();
    class Deaf extends pg.Client {
      // What a firewall leaves: the connection is gone, and nobody is told.
      override on(event: string): this {
        return event === "error" ? super.on(event, () => {}) : this;
      }
    }
    const deaf = { query: (query: object) => pool.query(query as pg.QueryConfig), Client: Deaf, options: { connectionString: postgresUrl } };
    const presence = presenceOn(deaf as unknown as PostgresPool);
    const holder = await presence.holder();
    const { rows } = await pool.query(backendOf, [holder]);
    await pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
    await eventually(async () => {
      expect(await presence.holder()).toBe(holder);
      const { rows: again } = await pool.query(backendOf, [holder]);
      expect(again).toEqual([{ pid: expect.any(Number) }]);
      expect(again).not.toEqual(rows);
    });
    // Others may have lost theirs at the same moment.
    expect(await presence.dead([1])).toEqual([]);
  });
});

describe("two services behind a pooler", needs("postgres"), () => {
  test("take nothing from each other while the leases last", { timeout: 60_000 }, async () => {
    warningsOf();
    const schema = ownSchema();
    const url = await schema.create();
    const open = async () => {
      const pool = openPool(url);
      const storage = postgresStorage({ pool: behindPooler(pool) as unknown as pg.Pool });
      await storage.migrate?.([]);
      return storage as Stores;
    };
    const [one, other] = [await open(), await open()];
    try {
      const request = { fingerprint: "f", operationId: "first", leaseMs: 60_000, ttlMs: 86_400_000 };
      expect(await one.idempotency.begin("key", request)).toMatchObject({ kind: "acquired", attempt: 1 });
      await one.jobs.create({ id: "job", type: "work", tenant: undefined, owner: "ada", input: {} });
      const claim = { types: ["work"], leaseMs: 60_000, max: 10, maxPerTenant: 10 };
      expect(await one.jobs.claim(claim)).toMatchObject([{ id: "job" }]);
      expect(await other.idempotency.begin("key", { ...request, operationId: "second" })).toMatchObject({ kind: "inFlight" });
      expect([await other.jobs.recover?.(), await other.jobs.claim(claim)]).toEqual([0, []]);
    } finally {
      await Promise.all([one.close?.(), other.close?.()]);
      await schema.drop();
    }
  });
});
