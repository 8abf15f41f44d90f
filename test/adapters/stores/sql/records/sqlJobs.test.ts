// @slow

import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { afterAll, describe, expect, test } from "vitest";
import type { SqlExecutor, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import type { ClaimRequest, JobStore, NewJob } from "../../../../../src/ground/storage/queue/jobs.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import { sqlEngines, watched } from "../../../../tools/storage/sqlEngines.js";

const engines = sqlEngines(2);

function jobsOf({ jobs }: Storage): JobStore {
  return jobs ?? expect.fail("The storage has no store of jobs.");
}

function job(id: string, change: Partial<NewJob> = {}): NewJob {
  return { id, type: "import", tenant: "acme", owner: "ada", input: { id }, ...change };
}

const request: ClaimRequest = { types: ["import"], leaseMs: 60_000, max: 100, maxPerTenant: 100 };

describe.each(Object.entries(engines))("jobs on %s", async (_name, prepare) => {
  const { openStorage, openExecutor } = await prepare();
  const storages = Array.from({ length: 4 }, openStorage);
  const executor = openExecutor();
  afterAll(async () => {
    for (const storage of storages) await storage.close?.();
    await executor.close?.();
  });
  const stores = storages.map(jobsOf);
  const [storage, store] = [storages[0] ?? expect.fail(), stores[0] ?? expect.fail()];
  const inputs = async (id: string) => {
    const text = `select "job" from "_restwright_job_inputs" where "job" = '${id}'`;
    return (await executor.query({ text, values: [], writes: true, returns: "many" })).rows;
  };
  const write = (text: string) => executor.query({ text, values: [], writes: true, returns: "none" });

  test("have tables that any number of processes make at once, also in a database from before there were jobs", async () => {
    await Promise.all(storages.map(async (one) => one.migrate?.([])));
    await jobsOf(storage).create(job("kept"));
    for (const name of ["_restwright_jobs", "_restwright_job_inputs", "_restwright_job_entries"]) await write(`drop table "${name}"`);
    await Promise.all(storages.map(async (one) => one.migrate?.([])));
    expect(await store.get("kept")).toBeUndefined();
    expect(await store.create(job("kept"))).toBe(true);
    await storage.migrate?.([]);
    expect(await store.claim(request)).toHaveLength(1);
  });

  test("are claimed by four processes, each by exactly one, until none of 200 is left", async () => {
    const type = "shared";
    for (let index = 0; index < 200; index++) await (stores[index % 4] ?? store).create(job(`shared ${index}`, { type, tenant: `t${index % 50}` }));
    const claimed = await Promise.all(
      stores.map(async (one) => {
        const ids: string[] = [];
        for (;;) {
          const some = await one.claim({ ...request, types: [type], max: 3 });
          if (some.length === 0) return ids;
          ids.push(...some.map(({ id }) => id));
        }
      }),
    );
    expect(claimed.flat()).toHaveLength(200);
    expect(new Set(claimed.flat())).toHaveLength(200);
  });

  test("of one tenant are never more under way than there may be, though four processes claim at once", async () => {
    for (let round = 0; round < 10; round++) {
      const type = `limited ${round}`;
      for (let index = 0; index < 8; index++) await store.create(job(`${type} ${index}`, { type, tenant: type }));
      const claimed = await Promise.all(stores.map((one) => one.claim({ ...request, types: [type], max: 1, maxPerTenant: 2 })));
      expect(claimed.flat()).toHaveLength(2);
    }
  });

  test("leave nothing in any table when they are removed or swept", async () => {
    for (const id of ["removed", "swept"]) {
      const type = `type of ${id}`;
      await store.create(job(id, { type, entries: [{ position: 1, value: 1 }] }));
      for (const { lease } of await store.claim({ ...request, types: [type] })) {
        await store.finish(lease, { status: "failed", error: { code: "X", detail: "x" } });
      }
    }
    expect(await store.remove("removed")).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await store.sweep(0, 100)).toBe(1);
    for (const table of ["job_inputs", "job_entries"]) {
      const text = `select "job" from "_restwright_${table}" where "job" in ('removed', 'swept')`;
      expect((await executor.query({ text, values: [], writes: true, returns: "many" })).rows).toEqual([]);
    }
  });

  test("have their input read by a claim alone, and dropped when they have ended", async () => {
    const statements: SqlStatement[] = [];
    const jobs = jobsOf(sqlStorage(watched(executor, statements)));
    await jobs.create(job("large", { type: "large", tenant: "large" }));
    const created = statements.length;
    await jobs.get("large");
    await jobs.countQueued("large");
    const [claimed = expect.fail()] = await jobs.claim({ ...request, types: ["large"] });
    await jobs.extend(claimed.lease, 60_000);
    await jobs.advance(claimed.lease, { processed: 1, total: 1, counts: {}, cursor: 1, entries: [{ position: 1, value: 1 }] });
    await jobs.entries("large", 0, 10);
    await jobs.cancel("large");
    expect(statements.slice(created).filter(({ text }) => text.includes('"input"'))).toHaveLength(1);
    await jobs.finish(claimed.lease, { status: "completed" });
    expect(await inputs("large")).toEqual([]);
  });

  test("have no input left when they have failed, or were canceled before anybody began them", async () => {
    const type = "input of no use";
    await store.create(job("failed input", { type }));
    const [claimed = expect.fail()] = await store.claim({ ...request, types: [type] });
    await store.create(job("canceled input", { type }));
    expect([await inputs("failed input"), await inputs("canceled input")]).toEqual([[{ job: "failed input" }], [{ job: "canceled input" }]]);
    await store.finish(claimed.lease, { status: "failed", error: { code: "X", detail: "x" } });
    expect(await store.cancel("canceled input")).toBe("canceled");
    expect([await inputs("failed input"), await inputs("canceled input")]).toEqual([[], []]);
    expect((await store.get("canceled input"))?.error?.code).toBe("CANCELLED");
  });

  test("keep their input when they have failed and may go on, until they are removed", async () => {
    const type = "input of a failed job";
    for (const id of ["kept and removed", "kept and reopened"]) await store.create(job(id, { type, tenant: id }));
    for (const { lease } of await store.claim({ ...request, types: [type] })) {
      await store.finish(lease, { status: "failed", error: { code: "X", detail: "x" }, resumable: true });
    }
    expect([await inputs("kept and removed"), await inputs("kept and reopened")]).toEqual([
      [{ job: "kept and removed" }],
      [{ job: "kept and reopened" }],
    ]);
    expect([await store.remove("kept and removed"), await store.reopen("kept and reopened")]).toEqual([true, true]);
    expect(await inputs("kept and removed")).toEqual([]);
    const [claimed = expect.fail()] = await store.claim({ ...request, types: [type] });
    await store.finish(claimed.lease, { status: "completed" });
    expect(await inputs("kept and reopened")).toEqual([]);
  });

  test("are no failed ones that can go on in a database from before there were any", async () => {
    await store.create(job("before", { type: "before" }));
    const [claimed = expect.fail()] = await store.claim({ ...request, types: ["before"] });
    await store.advance(claimed.lease, { processed: 1, total: 2, counts: {}, cursor: 1 });
    await store.finish(claimed.lease, { status: "failed", error: { code: "X", detail: "x" } });
    // As a failed job was kept then: without its input, but with its cursor.
    await write(`update "_restwright_jobs" set "cursor" = '1' where "id" = 'before'`);
    await storage.migrate?.([]);
    expect([(await store.get("before"))?.resumable, await store.reopen("before")]).toEqual([false, false]);
  });

  test("keep their input when a cancel that was about to drop it is rolled back", async () => {
    await store.create(job("kept input", { type: "kept input" }));
    const canceling = storage.transaction?.(async (tx) => {
      expect(await jobsOf(tx).cancel("kept input")).toBe("canceled");
      throw new Error("rolled back");
    });
    await expect(canceling).rejects.toThrow("rolled back");
    const [claimed = expect.fail()] = await store.claim({ ...request, types: ["kept input"] });
    expect(claimed.input).toEqual({ id: "kept input" });
  });

  test("take their entries by one statement a call, however many there are", async () => {
    const statements: SqlStatement[] = [];
    const jobs = jobsOf(sqlStorage(watched(executor, statements)));
    const entries = Array.from({ length: 3_000 }, (_, position) => ({ position, value: { position } }));
    await jobs.create(job("many", { type: "many", entries }));
    expect(statements.filter(({ text }) => text.includes("job_entries"))).toHaveLength(1);
    expect(await jobs.entries("many", 2_997, 10)).toEqual(entries.slice(2_998));
  });

  test("cannot be claimed in a transaction that only reads, though they can be read", async () => {
    await store.create(job("read only", { type: "read only" }));
    const reading = storage.transaction?.(
      async (tx) => {
        expect((await jobsOf(tx).get("read only"))?.status).toBe("queued");
        return jobsOf(tx).claim({ ...request, types: ["read only"] });
      },
      { readOnly: true },
    );
    await expect(reading).rejects.toThrow("read-only");
    expect(await store.claim({ ...request, types: ["read only"] })).toHaveLength(1);
  });

  test("of a claim that is still under way are released when it has ended", async () => {
    const type = "under way";
    for (const id of ["under way 1", "under way 2"]) await store.create(job(id, { type, tenant: id }));
    const order: string[] = [];
    const [begun, mayEnd] = [signal(), signal()];
    const claiming = storage.transaction?.(async (tx) => {
      expect(await jobsOf(tx).claim({ ...request, types: [type], claimId: type })).toHaveLength(2);
      begun.give();
      await mayEnd.given;
      order.push("claimed");
    });
    await begun.given;
    const unclaiming = jobsOf(storages[1] ?? storage)
      .unclaim?.(type)
      .then((released) => order.push(`${released} released`));
    setTimeout(mayEnd.give, 100);
    await Promise.all([claiming, unclaiming]);
    expect(order).toEqual(["claimed", "2 released"]);
    expect((await store.claim({ ...request, types: [type] })).map(({ attempts }) => attempts)).toEqual([0, 0]);
  });

  test("are found by their indexes, however many have ended", async () => {
    const ended = Array.from({ length: 1_000 }, (_, index) => `ended ${index}`);
    // Each waits for a connection of the pool, which is not for ever.
    for (let at = 0; at < ended.length; at += 50) {
      const some = ended.slice(at, at + 50);
      await Promise.all(some.map((id, index) => store.create(job(id, { tenant: `t${index % 20}` }))));
      await Promise.all(some.map((id) => store.cancel(id)));
    }
    const statements: SqlStatement[] = [];
    const jobs = jobsOf(sqlStorage(watched(executor, statements)));
    await jobs.countQueued("acme");
    await jobs.sweep(60_000, 10);
    await write('analyze "_restwright_jobs"');
    const plans: string[] = [];
    for (const statement of statements) if (statement.text.includes('_restwright_jobs" ')) plans.push(await explain(executor, statement));
    const [counting = "", sweeping = ""] = plans.slice(-2);
    expect(counting).toContain("_restwright_jobs:queued");
    expect(sweeping).toContain("_restwright_jobs:finished");
    expect(sweeping).toMatch(/finished<\?|Index Cond: \(.*finished </);
  });
});

describe("jobs that a transaction is writing to, on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("are passed over by a claim, which does not wait, and are claimed when it has ended", async () => {
    const own = ownSchema();
    const storage = postgresStorage({ connectionString: await own.create() });
    await storage.migrate?.([]);
    const store = jobsOf(storage);
    for (const id of ["busy", "free"]) await store.create(job(id));
    const [busy = expect.fail()] = await store.claim({ ...request, max: 1, leaseMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 10));
    await storage.transaction?.(async (tx) => {
      expect(await jobsOf(tx).advance(busy.lease, { processed: 1, total: 2, counts: {}, cursor: 1 })).toBe(true);
      expect((await store.claim({ ...request, max: 1 })).map(({ id }) => id)).toEqual(["free"]);
      expect(await store.claim(request)).toEqual([]);
    });
    expect((await store.claim(request)).map(({ id, cursor }) => ({ id, cursor }))).toEqual([{ id: "busy", cursor: 1 }]);
    await storage.close?.();
    await own.drop();
  });
});

/** A promise, and what resolves it. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** What the engine says that it will do, a line a step. */
async function explain(executor: SqlExecutor, statement: SqlStatement): Promise<string> {
  const prefix = executor.dialect === "sqlite" ? "explain query plan" : "explain (costs off)";
  const { rows } = await executor.query({ ...statement, text: `${prefix} ${statement.text}`, writes: false, returns: "many" });
  return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n");
}
