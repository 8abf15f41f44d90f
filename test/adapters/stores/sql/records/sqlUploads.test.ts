// @long

import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlExecutor, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { Retryable } from "../../../../../src/ground/storage/errors.js";
import type { NewUpload, UploadStore } from "../../../../../src/ground/storage/files/uploads.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import { sqlEngines, watched } from "../../../../tools/storage/sqlEngines.js";

const engines = sqlEngines(4);

function uploadsOf({ uploads }: Storage): UploadStore {
  return uploads ?? expect.fail("The storage has no store of uploads.");
}

function upload(id: string, change: Partial<NewUpload> = {}): NewUpload {
  return { ...{ id, tenant: "acme", owner: "ada", account: id }, isOpen: true, bytes: 5, dueAt: undefined, data: { id }, ...change };
}

describe.each(Object.entries(engines))("uploads on %s", async (_name, prepare) => {
  const { openStorage, openExecutor } = await prepare();
  const storages = Array.from({ length: 4 }, openStorage);
  const executor = openExecutor();
  const stores = storages.map(uploadsOf);
  const [storage, store] = [storages[0] ?? expect.fail(), stores[0] ?? expect.fail()];
  const write = (text: string) => executor.query({ text, values: [], writes: true, returns: "none" });
  const accounts = async (account: string) => {
    const text = `select "open" from "_restwright_upload_accounts" where "account" = '${account}'`;
    return (await executor.query({ text, values: [], writes: true, returns: "many" })).rows.length;
  };
  beforeAll(async () => {
    await Promise.all(storages.map(async (one) => one.migrate?.([])));
  });
  afterAll(async () => {
    for (const one of storages) await one.close?.();
    await executor.close?.();
  });

  test("have tables that any number of processes make at once, also in a database from before there were uploads", async () => {
    await store.create(upload("kept"));
    for (const name of ["_restwright_uploads", "_restwright_upload_accounts"]) await write(`drop table "${name}"`);
    await Promise.all(storages.map(async (one) => one.migrate?.([])));
    expect(await store.get("kept")).toBeUndefined();
    expect((await store.create(upload("kept"))).outcome).toBe("stored");
    await storage.migrate?.([]);
    expect((await store.get("kept"))?.version).toBe(1);
  });

  test("of one account are never more than the limits, though four processes create, close, grow and remove at once", async () => {
    const limits = { maxOpen: 7, maxBytes: 60 };
    for (let round = 0; round < 4; round++) {
      const account = `limited ${round}`;
      const outcomes = await Promise.all(
        Array.from({ length: 48 }, async (_, index) => {
          const one = stores[index % 4] ?? store;
          const id = `${account} ${index}`;
          const created = await one.create(upload(id, { account, bytes: 6 }), limits);
          const use = await one.use("acme", account);
          expect(use.open).toBeLessThanOrEqual(7);
          expect(use.bytes).toBeLessThanOrEqual(60);
          if (created.outcome !== "stored") return created.outcome;
          const [grown, closed] = await Promise.all([one.update(id, 1, { bytes: 11 }, limits), one.update(id, 1, { isOpen: false })]);
          expect([grown.outcome, closed.outcome].filter((outcome) => outcome === "stored").length).toBe(1);
          if (index % 3 === 0) expect(await one.remove(id, 2)).toBe(true);
          return created.outcome;
        }),
      );
      expect(outcomes.filter((outcome) => outcome === "stored").length).toBeGreaterThanOrEqual(7);
      const text = `select sum("open") as "open", sum("bytes") as "bytes" from "_restwright_uploads" where "account" = '${account}'`;
      const [sums] = (await executor.query({ text, values: [], writes: true, returns: "one" })).rows;
      expect(await store.use("acme", account)).toEqual({ open: Number(sums?.["open"]), bytes: Number(sums?.["bytes"]) });
    }
  });

  test("take exactly as many as there may be of creates by four processes at once", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (stores[index % 4] ?? store).create(upload(`exact ${index}`, { account: "exact" }), { maxOpen: 10 })),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "stored")).toHaveLength(10);
    expect(await store.use("acme", "exact")).toEqual({ open: 10, bytes: 50 });
  });

  test("leave no row of an account that has nothing any more, or never had", async () => {
    await store.create(upload("refused"), { maxOpen: 0 });
    expect(await accounts("refused")).toBe(0);
    await store.create(upload("emptied"));
    expect(await accounts("emptied")).toBe(1);
    await store.update("emptied", 1, { isOpen: false, bytes: 0 });
    expect(await accounts("emptied")).toBe(0);
    expect(await store.remove("emptied", 2)).toBe(true);
    expect(await accounts("emptied")).toBe(0);
  });

  test("are changed by one statement, without the sums, where what they take up is not named", async () => {
    await store.create(upload("progress"));
    const statements: SqlStatement[] = [];
    const uploads = uploadsOf(sqlStorage(watched(executor, statements)));
    expect((await uploads.update("progress", 1, { data: { state: "next" }, dueAt: new Date(1) })).outcome).toBe("stored");
    expect(statements).toHaveLength(1);
    expect((await uploads.update("progress", 2, { data: 1, bytes: 5, isOpen: true })).outcome).toBe("stored");
    expect(statements.filter(({ text }) => text.includes("_restwright_upload_accounts"))).toEqual([]);
  });

  test("cannot be written to in a transaction that only reads, though they can be read", async () => {
    await store.create(upload("read only"));
    const reading = storage.transaction?.(
      async (tx) => {
        expect((await uploadsOf(tx).get("read only"))?.bytes).toBe(5);
        return uploadsOf(tx).update("read only", 1, { bytes: 6 });
      },
      { readOnly: true },
    );
    await expect(reading).rejects.toThrow("read-only");
    expect((await store.get("read only"))?.bytes).toBe(5);
  });

  test("that are due are found by their index in the order that is asked for, however many there are", async () => {
    const data = "x".repeat(1_500);
    const idle = Array.from({ length: 600 }, (_, index) => upload(`idle ${index}`, { data, ...(index % 2 === 0 && { dueAt: new Date(index) }) }));
    // Not all at once: each would wait for a connection of the pool.
    for (let first = 0; first < idle.length; first += 10) await Promise.all(idle.slice(first, first + 10).map((one) => store.create(one)));
    const statements: SqlStatement[] = [];
    expect(await uploadsOf(sqlStorage(watched(executor, statements))).due(new Date(500), 5)).toHaveLength(5);
    await write('analyze "_restwright_uploads"');
    const [due = expect.fail()] = statements;
    const plan = await explain(executor, due);
    expect(plan).toContain("_restwright_uploads:due");
    expect(plan).not.toMatch(/SCAN _restwright_uploads$|Seq Scan|TEMP B-TREE|Sort/m);
  });
});

describe("uploads in transactions of one snapshot, on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("may be tried again where another has changed the sums since, and never exceed a limit", async () => {
    const own = ownSchema();
    const storage = postgresStorage({ connectionString: await own.create() });
    await storage.migrate?.([]);
    await uploadsOf(storage).create(upload("first", { account: "shared" }));
    const late = storage.transaction?.(
      async (tx) => {
        expect((await uploadsOf(tx).use("acme", "shared")).open).toBe(1);
        await uploadsOf(storage).create(upload("second", { account: "shared" }), { maxOpen: 2 });
        return uploadsOf(tx).create(upload("third", { account: "shared" }), { maxOpen: 2 });
      },
      { isolation: "snapshot" },
    );
    await expect(late).rejects.toThrow(Retryable);
    expect(await uploadsOf(storage).use("acme", "shared")).toEqual({ open: 2, bytes: 10 });
    await storage.close?.();
    await own.drop();
  });
});

/** What the engine says that it will do, a line a step. */
async function explain(executor: SqlExecutor, statement: SqlStatement): Promise<string> {
  const prefix = executor.dialect === "sqlite" ? "explain query plan" : "explain (costs off)";
  const { rows } = await executor.query({ ...statement, text: `${prefix} ${statement.text}`, writes: false, returns: "many" });
  return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n");
}
