// @slow

import fc from "fast-check";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { SqlExecutor, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqlStorage } from "../../../../../adapters/stores/sql/storage.js";
import type { Collection, NewRow, Row } from "../../../../../src/ground/storage/collection.js";
import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { needs } from "../../../../tools/engines.js";
import { eventually } from "../../../../tools/eventually.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import { cuttable } from "../../postgres/cuttable.js";

const columns: CollectionModel["columns"] = [
  { name: "code", kind: "text", fold: true },
  { name: "text", kind: "text" },
  { name: "count", kind: "int" },
  { name: "size", kind: "number" },
  { name: "large", kind: "bigint" },
  { name: "price", kind: "decimal", digits: { precision: 12, scale: 2 } },
  { name: "isOpen", kind: "boolean" },
  { name: "at", kind: "datetime" },
  { name: "data", kind: "json" },
];
const rest = { unique: [{ fields: ["code"] }], indexes: [], searchable: [["text"]] } as const;
const notes: CollectionModel = { ...rest, name: "notes", id: "id", idFrom: "caller", columns: [{ name: "id", kind: "text" }, ...columns] };
const orders: CollectionModel = { ...rest, name: "orders", id: "id", idFrom: "store", columns: [{ name: "id", kind: "int" }, ...columns] };

const empty = { code: null, text: null, count: null, size: null, large: null, price: null, isOpen: null, at: null, data: null };
let versions = 0;
const reserved = () => ({ _version: `version ${++versions}`, _updatedAt: new Date(1_700_000_000_000 + versions) });
const newRow = (values: Readonly<Record<string, unknown>>): NewRow => ({ ...empty, ...values, ...reserved() });

/** What is checked of a row: all but the version and the time of the write. */
function plain({ _version, _updatedAt, ...row }: Row) {
  return row;
}

/** A promise, and whether it has been settled. */
function watched<T>(promise: Promise<T>) {
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  return { done, isDone: () => isDone };
}

type Settled = PromiseSettledResult<Outcome<Row>>;

describe("writes that wait at the same time on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString: string;
  let admin: pg.Pool;
  const held: { end(how: "rollback"): Promise<void> }[] = [];

  beforeAll(async () => {
    connectionString = await schema.create();
    admin = new pg.Pool({ connectionString });
    const storage = sqlStorage(postgresExecutor({ connectionString }));
    await storage.migrate?.([notes, orders]);
    await storage.close?.();
  });
  afterEach(async () => {
    for (const each of held.splice(0)) await each.end("rollback");
    await admin.query("truncate notes, orders");
  });
  afterAll(async () => {
    await admin.end();
    await schema.drop();
  });

  function open(options: Parameters<typeof postgresExecutor>[0] = { connectionString }) {
    const inner = postgresExecutor(options);
    onTestFinished(() => inner.close?.());
    const sent: SqlStatement[] = [];
    const executor: SqlExecutor = {
      dialect: inner.dialect,
      gathers: inner.gathers,
      query(statement, bounds) {
        sent.push(statement);
        return inner.query(statement, bounds);
      },
      transaction: (run, transactionOptions) => inner.transaction(run, transactionOptions),
    };
    const storage = sqlStorage(executor);
    const gathered = () => sent.filter(({ isGathered }) => isGathered === true);
    return { sent, gathered, storage, notes: storage.collection(notes), orders: storage.collection(orders) };
  }

  /** A transaction of another program that stays open. */
  async function hold(work: (tx: Storage) => Promise<unknown>) {
    const storage = sqlStorage(postgresExecutor({ connectionString, poolSize: 1 }));
    let end: (how: "commit" | "rollback") => void = () => {};
    const ended = new Promise<"commit" | "rollback">((resolve) => {
      end = resolve;
    });
    const rolledBack = new Error("The holder rolls back.");
    let done: Promise<unknown> | undefined;
    await new Promise<void>((begun, failed) => {
      done = storage.transaction?.(async (tx) => {
        await work(tx).then(() => begun(), failed);
        if ((await ended) === "rollback") throw rolledBack;
      });
      done?.catch(() => {});
    });
    const finish = async (how: "commit" | "rollback") => {
      end(how);
      await done?.catch((error: unknown) => expect(error).toBe(rolledBack));
      await storage.close?.();
    };
    const holding = { end: finish };
    held.push(holding);
    return holding;
  }

  async function triggers(body: string, when = "before insert or update", extra = ""): Promise<void> {
    await admin.query(`create function spoil() returns trigger language plpgsql as $$ begin ${body}; return new; end $$;
      create ${extra} trigger spoil ${when} on notes ${extra === "" ? "" : "deferrable initially deferred"} for each row execute function spoil()`);
    onTestFinished(async () => {
      await admin.query("drop function spoil() cascade");
    });
  }

  const insertAll = (rows: Collection, all: readonly NewRow[]): Promise<Settled[]> => Promise.allSettled(all.map((row) => rows.insert(row, {})));
  const some = (count: number, of: (index: number) => Readonly<Record<string, unknown>>) =>
    Array.from({ length: count }, (_, index) => newRow(of(index)));
  const isDone = (settled: Settled | undefined) => settled?.status === "fulfilled" && settled.value.ok;
  const count = async (table = "notes") => Number((await admin.query(`select count(*) from ${table}`)).rows[0]?.["count"]);

  /** Values that the two ways might store differently. */
  const values: readonly Readonly<Record<string, unknown>>[] = [
    empty,
    { code: "É", text: "", count: 0, size: 0, large: 0n, price: "0.00", isOpen: false, at: new Date(0), data: null },
    { code: "a\tb\n\"\\'{},", text: "漢𝒳\u2028", count: Number.MAX_SAFE_INTEGER, size: 1e308, large: 2n ** 63n - 1n, price: "9999999999.99" },
    { code: "-", count: Number.MIN_SAFE_INTEGER, size: -5e-324, large: -(2n ** 63n), price: "-0.01", at: new Date(253_402_300_799_999) },
    { code: "null", text: "null", size: 0.1 + 0.2, at: new Date(-62_135_596_800_000), data: "null", isOpen: true },
    { code: "[]", text: "[1]", data: [], count: 1 },
    { code: "{}", data: { "": null, a: [1e21, 1e-7, 12_345_678_901_234_567_000, true, "x", { b: [] }], __proto: 1 } },
    { code: "0", data: 0 },
    { code: "false", data: false },
    { code: "e\u0301", text: "e\u0301", data: "\u0001\u007f" },
    { code: "lone", text: "\ud800 lone" },
  ];

  test.each([
    ["with ids of the caller", "notes"],
    ["with ids of the store", "orders"],
  ] as const)("inserts store what single ones store: %s", async (_, name) => {
    const { [name]: rows, gathered } = open();
    const ids = (prefix: string) => (index: number) => ({ ...values[index], ...(name === "notes" && { id: `${prefix}${index}` }) });
    const singles: Outcome<Row>[] = [];
    for (const row of some(values.length, ids("single"))) singles.push(await rows.insert(row, { tenant: "single" }));
    const together = await Promise.all(some(values.length, ids("together")).map((row) => rows.insert(row, { tenant: "together" })));
    expect(gathered()).not.toEqual([]);
    const withoutId = ({ id, ...row }: Readonly<Record<string, unknown>>) => row;
    const outcomesOf = (outcomes: readonly Outcome<Row>[]) =>
      outcomes.map((each) => ({ ...each, ...(each.ok && { row: withoutId(plain(each.row)) }) }));
    expect(outcomesOf(together)).toEqual(outcomesOf(singles));
    const storedOf = async (outcomes: readonly Outcome<Row>[], tenant: string) => {
      const found = await Promise.all(outcomes.map(async (each) => (each.ok ? rows.get(each.row["id"] as string, { tenant }) : undefined)));
      return found.map((row) => row && withoutId(plain(row)));
    };
    expect(await storedOf(together, "together")).toEqual(await storedOf(singles, "single"));
    // Also what no field shows: the folded texts of keys and searches.
    const raw = async (tenant: string) =>
      (await admin.query(`select * from ${name} where "_tenant" = $1 order by code nulls first, id`, [tenant])).rows.map(
        ({ id, _tenant, _version, _updatedAt, ...row }) => row,
      );
    expect(await raw("together")).toEqual(await raw("single"));
  });

  test("updates store what single ones store", async () => {
    const { notes: rows, gathered } = open();
    const update = async (tenant: string, isTogether: boolean) => {
      const before = some(values.length, (index) => ({ id: `n${index}`, code: `before ${index}`, text: "b", data: { a: 1 } }));
      for (const row of before) await rows.insert(row, { tenant });
      const change = (row: NewRow, index: number) =>
        rows.update(`n${index}`, { ...values[index], ...reserved() }, { ifVersion: row._version, replace: true, tenant });
      const outcomes: Outcome<Row>[] = [];
      if (isTogether) outcomes.push(...(await Promise.all(before.map(change))));
      else for (const [index, row] of before.entries()) outcomes.push(await change(row, index));
      const raw = await admin.query(`select * from notes where "_tenant" = $1 order by id`, [tenant]);
      return [outcomes.map((each) => each.ok && plain(each.row)), raw.rows.map(({ _tenant, _version, _updatedAt, ...row }) => row)];
    };
    const single = await update("single", false);
    expect(gathered()).toEqual([]);
    expect(await update("together", true)).toEqual(single);
    expect(gathered()).not.toEqual([]);
  });

  test("conflicts name their key, whether the other row was there before or came with the same statement", async () => {
    const { notes: rows } = open();
    await rows.insert(newRow({ id: "before", code: "taken" }), {});
    const [, , byKey, byId, sameKey, ...sameId] = (await Promise.all(
      [
        { id: "first" },
        { id: "a", code: "new" },
        { id: "b", code: "taken" },
        { id: "before" },
        { id: "c", code: "new" },
        { id: "d" },
        { id: "d" },
      ].map((row) => rows.insert(newRow(row), {})),
    )) as readonly Outcome<Row>[];
    expect(byKey).toEqual({ ok: false, why: "conflict", fields: ["code"] });
    expect(byId).toEqual({ ok: false, why: "conflict", fields: ["id"] });
    expect(sameKey).toEqual({ ok: false, why: "conflict", fields: ["code"] });
    // They go with different statements, of which either may be the first.
    expect(sameId.filter(({ ok }) => !ok)).toEqual([{ ok: false, why: "conflict", fields: ["id"] }]);
  });

  test("updates that are stale, of a missing row, or take a key say so, and the others are done", async () => {
    const { notes: rows } = open();
    const before = some(8, (index) => ({ id: `n${index}`, code: `code ${index}` }));
    for (const row of before) await rows.insert(row, {});
    const update = (id: string, ifVersion: string, code: string) => rows.update(id, { code, ...reserved() }, { ifVersion });
    const outcomes = await Promise.all([
      update("n0", before[0]?._version as string, "zero"),
      update("n1", before[1]?._version as string, "one"),
      update("n2", "another version", "two"),
      update("missing", "any", "missing"),
      update("n4", before[4]?._version as string, "code 5"),
      update("n6", before[6]?._version as string, "six"),
    ]);
    expect(outcomes.map((each) => (each.ok ? each.row["code"] : each.why))).toEqual(["zero", "one", "stale", "missing", "conflict", "six"]);
    expect(outcomes[2]).toMatchObject({ current: { id: "n2", code: "code 2", _version: before[2]?._version } });
    expect(outcomes[4]).toMatchObject({ fields: ["code"] });
  });

  test.each(["commit", "rollback"] as const)("a key that an open transaction has taken keeps no other insert waiting: %s", async (how) => {
    const { notes: rows, gathered } = open();
    const holding = await hold((tx) => tx.collection(notes).insert(newRow({ id: "held", code: "held" }), {}));
    const first = rows.insert(newRow({ id: "first" }), {});
    const waiting = watched(rows.insert(newRow({ id: "waits", code: "held" }), {}));
    const others = await insertAll(
      rows,
      some(14, (index) => ({ id: `n${index}`, code: `free ${index}` })),
    );
    expect(others.every(isDone)).toBe(true);
    expect((await first).ok).toBe(true);
    expect(gathered()).not.toEqual([]);
    expect(waiting.isDone()).toBe(false);
    await holding.end(how);
    expect(await waiting.done).toMatchObject(how === "commit" ? { ok: false, why: "conflict", fields: ["code"] } : { ok: true });
  });

  test("after a key was in the way, inserts of the tenant go alone for a while and no further one waits", async () => {
    const { notes: rows, gathered } = open();
    const holding = await hold((tx) => tx.collection(notes).insert(newRow({ id: "held", code: "held" }), {}));
    const waiting = watched(
      insertAll(
        rows,
        some(4, (index) => ({ id: `w${index}`, code: index === 2 ? "held" : `w${index}` })),
      ),
    );
    await eventually(async () => expect(await count()).toBe(3));
    const before = gathered().length;
    for (let round = 0; round < 3; round++) {
      const others = await insertAll(
        rows,
        some(8, (index) => ({ id: `n${round} ${index}`, code: `n${round} ${index}` })),
      );
      expect(others.every(isDone)).toBe(true);
    }
    expect(gathered()).toHaveLength(before);
    expect(waiting.isDone()).toBe(false);
    await holding.end("commit");
    expect((await waiting.done).map(isDone)).toEqual([true, true, false, true]);
  });

  async function inserted(rows: Collection, total: number): Promise<readonly NewRow[]> {
    const before = some(total, (index) => ({ id: `n${index}`, code: `code ${index}`, count: 0 }));
    await rows.insertMany?.(before, {});
    return before;
  }
  const change = (rows: Collection, before: NewRow, values: Readonly<Record<string, unknown>>) =>
    rows.update(before["id"] as string, { ...values, ...reserved() }, { ifVersion: before._version });

  test.each(["commit", "rollback"] as const)("a row that another transaction has locked keeps no other update waiting: %s", async (how) => {
    const { notes: rows, gathered } = open();
    const before = await inserted(rows, 16);
    const holding = await hold((tx) => change(tx.collection(notes), before[2] as NewRow, { text: "held" }));
    const all = before.map((row) => watched(change(rows, row, { text: "changed" })));
    const others = await Promise.all(all.filter((_, index) => index !== 2).map(({ done }) => done));
    expect(others.every(({ ok }) => ok)).toBe(true);
    expect(gathered()).toHaveLength(1);
    expect(all[2]?.isDone()).toBe(false);
    await holding.end(how);
    expect(await all[2]?.done).toMatchObject(
      how === "commit" ? { ok: false, why: "stale", current: { text: "held" } } : { ok: true, row: { text: "changed" } },
    );
    // Nothing failed, so that updates still go together.
    const [again] = await Promise.all([1, 3, 4].map((index) => rows.update(`n${index}`, { text: "again", ...reserved() }, { ifVersion: "stale" })));
    expect(again).toMatchObject({ ok: false, why: "stale" });
    expect(gathered()).toHaveLength(2);
  });

  test("many updates of one locked row keep no other update waiting, and one of them is done", async () => {
    const { notes: rows } = open();
    const before = await inserted(rows, 8);
    const holding = await hold((tx) => change(tx.collection(notes), before[2] as NewRow, { text: "held" }));
    const stuck = Promise.all(Array.from({ length: 6 }, () => change(rows, before[2] as NewRow, { text: "changed" })));
    for (const row of before.toSpliced(2, 1)) expect(await change(rows, row, { text: "changed" })).toMatchObject({ ok: true });
    await holding.end("rollback");
    expect((await stuck).filter(({ ok }) => ok)).toHaveLength(1);
  });

  test("a row that may only not be removed is updated together with the others", async () => {
    const { notes: rows, gathered } = open();
    const before = await inserted(rows, 4);
    await hold((tx) => tx.collection(notes).find({ filter: undefined, sort: [], limit: 10, lock: "share" }, {}));
    const outcomes = await Promise.all(before.map((row) => change(rows, row, { text: "changed" })));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(gathered()).toHaveLength(1);
  });

  test("a locked table ends the statement of several, and when the lock ends each write is done once", async () => {
    const { notes: rows, sent, gathered } = open();
    const holding = await hold((tx) => tx.sql?.("lock table notes in access exclusive mode", []) ?? Promise.reject(new Error("There is no sql.")));
    const all = some(5, (index) => ({ id: `n${index}` })).map((row) => rows.insert(row, {}));
    await eventually(() => expect(sent.length).toBeGreaterThan(5));
    expect(gathered()).toHaveLength(1);
    await holding.end("rollback");
    expect((await Promise.all(all)).every(({ ok }) => ok)).toBe(true);
    expect(await count()).toBe(5);
  });

  test.each([
    ["a trigger", `if new.text = 'bad' then raise exception 'no such text' using errcode = 'P0001'; end if`, "before insert or update", ""],
    ["a check", `if new.text = 'bad' then raise check_violation; end if`, "before insert or update", ""],
    ["the commit", `if new.text = 'bad' then raise foreign_key_violation; end if`, "after insert or update", "constraint"],
  ])("a row that %s refuses fails alone, with the error that it has alone", async (_, body, when, extra) => {
    await triggers(body, when, extra);
    const { notes: rows, gathered } = open();
    const [single] = await insertAll(
      rows,
      some(1, () => ({ id: "single", text: "bad" })),
    );
    const all = await insertAll(
      rows,
      some(16, (index) => ({ id: `n${index}`, text: index === 5 ? "bad" : "good" })),
    );
    expect(all.map(isDone)).toEqual(all.map((__, index) => index !== 5));
    const codeOf = (settled: Settled | undefined) =>
      settled?.status === "rejected" && [settled.reason.name, settled.reason.code, settled.reason.message];
    expect(codeOf(all[5])).toEqual(codeOf(single));
    expect(await count()).toBe(15);
    const before = all.flatMap((each) => (each.status === "fulfilled" && each.value.ok ? [each.value.row] : []));
    const updates = await Promise.allSettled(before.map((row, index) => change(rows, row, { text: index === 5 ? "bad" : "better" })));
    expect(updates.map(isDone)).toEqual(updates.map((__, index) => index !== 5));
    expect(codeOf(updates[5])).toEqual(codeOf(single));
    expect(gathered()).toHaveLength(2);
  });

  test("a value that PostgreSQL cannot store fails alone", async () => {
    const { notes: rows } = open();
    const all = await insertAll(
      rows,
      some(16, (index) => ({ id: `n${index}`, text: index === 5 ? "zero \0" : "good" })),
    );
    expect(all.map(isDone)).toEqual(all.map((_, index) => index !== 5));
  });

  /** An executor whose connection breaks after the first statement of several writes has reached the server. */
  async function losing() {
    const way = await cuttable(new URL(connectionString), (bytes) => bytes.includes("set_config('lock_timeout', '50'"));
    onTestFinished(() => way.close());
    return open({ connectionString: way.url });
  }

  test.each(["notes", "orders"] as const)("inserts of which only the answer was lost are acknowledged and stored once: %s", async (name) => {
    const { [name]: rows, gathered } = await losing();
    const all = await insertAll(
      rows,
      some(16, (index) => ({ code: `code ${index}`, ...(name === "notes" && { id: `n${index}` }) })),
    );
    expect(all.map(isDone)).not.toContain(false);
    expect(gathered()).toHaveLength(1);
    const stored = (await admin.query(`select id, code from ${name} order by code`)).rows;
    const acknowledged = all.flatMap((each) => (each.status === "fulfilled" && each.value.ok ? [each.value.row] : []));
    expect(new Map(stored.map(({ id, code }) => [code, String(id)]))).toEqual(new Map(acknowledged.map(({ id, code }) => [code, String(id)])));
    expect(stored).toHaveLength(16);
  });

  test("updates of which only the answer was lost are acknowledged", async () => {
    const { notes: rows, gathered } = await losing();
    const before = await inserted(open().notes, 16);
    const all = await Promise.allSettled(before.map((row) => change(rows, row, { text: "changed" })));
    expect(all.map(isDone)).not.toContain(false);
    expect(gathered()).toHaveLength(1);
    const { rows: stored } = await admin.query(`select text from notes`);
    expect(stored.filter(({ text }) => text === "changed")).toHaveLength(16);
  });

  test("writes whose connection ended before they were committed are refused, and not sent again", async () => {
    await triggers("if new.text = 'end' then perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); end if");
    const { notes: rows, sent, gathered } = open();
    const [first, ...others] = await insertAll(
      rows,
      some(8, (index) => ({ id: `n${index}`, text: index === 5 ? "end" : "good" })),
    );
    expect(isDone(first)).toBe(true);
    for (const other of others) expect(other).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) as unknown });
    expect(await count()).toBe(1);
    expect(gathered()).toHaveLength(1);
    expect(sent.filter(({ writes }) => writes)).toHaveLength(2);
  });

  test("writes of tenants change only their own rows", async () => {
    const { notes: rows, gathered } = open();
    const tenants = ["a", "b", undefined];
    const versionsOf = new Map<string, string>();
    await Promise.all(
      tenants.flatMap((tenant) =>
        some(10, (index) => ({ id: `n${index}`, code: `code ${index}`, text: `of ${tenant}` })).map((row) => {
          versionsOf.set(`${tenant} ${row["id"]}`, row._version);
          return rows.insert(row, { tenant });
        }),
      ),
    );
    const outcomes = await Promise.all(
      tenants.flatMap((tenant) =>
        Array.from({ length: 10 }, (_, index) => {
          const ifVersion = versionsOf.get(`${index === 3 ? "a" : tenant} n${index}`) as string;
          return rows.update(`n${index}`, { count: index, ...reserved() }, { ifVersion, tenant });
        }),
      ),
    );
    const failed = outcomes.flatMap((outcome, index) => (outcome.ok ? [] : [[index, outcome.why]]));
    expect(failed).toEqual([
      [13, "stale"],
      [23, "stale"],
    ]);
    expect(outcomes.map((outcome, index) => !outcome.ok || outcome.row["text"] === `of ${tenants[Math.floor(index / 10)]}`)).not.toContain(false);
    expect(gathered().length).toBeGreaterThan(5);
  });

  test("are seen by the next read of their callers", async () => {
    const { notes: rows } = open();
    const work = async (name: number) => {
      let version = newRow({})._version;
      await rows.insert({ ...newRow({ id: `n${name}`, count: 0 }), _version: version }, {});
      for (let step = 1; step <= 20; step++) {
        const outcome = await rows.update(`n${name}`, { count: step, ...reserved() }, { ifVersion: version });
        if (!outcome.ok) throw new Error(`The update was refused: ${outcome.why}.`);
        version = outcome.row._version;
        expect(await rows.get(`n${name}`, {})).toMatchObject({ count: step, _version: version });
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, name) => work(name)));
  });

  test("are not gathered on a pool of the developer, nor in a transaction", async () => {
    const pool = new pg.Pool({ connectionString, max: 4 });
    onTestFinished(() => pool.end());
    const [theirs, ours] = [open({ pool }), open()];
    await insertAll(
      theirs.notes,
      some(8, (index) => ({ id: `n${index}` })),
    );
    expect(theirs.gathered()).toEqual([]);
    await ours.storage.transaction?.((tx) =>
      insertAll(
        tx.collection(notes),
        some(8, (index) => ({ id: `m${index}` })),
      ),
    );
    expect(ours.sent).toEqual([]);
    expect(await count()).toBe(16);
  });

  test("have outcomes of some order of single writes, whatever comes together", async () => {
    const { notes: rows } = open({ connectionString, poolSize: 4 });
    const asked = fc.record({ id: fc.integer({ min: 0, max: 5 }), code: fc.integer({ min: 0, max: 8 }), after: fc.integer({ min: 0, max: 3 }) });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 60 }), async (asks) => {
        const tenant = `round ${round++}`;
        const written: Row[] = [];
        await Promise.all(
          asks.map(async ({ id, code, after }, index) => {
            for (let turn = 0; turn < after; turn++) await new Promise((resolve) => setImmediate(resolve));
            const row = newRow({ id: `n${id}`, code: `code ${code}`, count: index });
            const created = await rows.insert(row, { tenant });
            if (created.ok) return void written.push(created.row);
            const current = await rows.get(`n${id}`, { tenant });
            if (current === undefined) return;
            const changed = await rows.update(
              `n${id}`,
              { code: `code ${code}`, count: index, ...reserved() },
              { ifVersion: current._version, tenant },
            );
            if (changed.ok) written.push(changed.row);
            else if (changed.why === "conflict") expect(changed.fields).toEqual(["code"]);
            else expect(changed).toMatchObject({ why: "stale" });
          }),
        );
        // The last write of each row is what is stored, and no two rows have one key.
        const stored = await rows.find({ filter: undefined, sort: [], limit: 100 }, { tenant });
        for (const row of stored) expect(written).toContainEqual(row);
        expect(new Set(stored.map(({ code }) => code)).size).toBe(stored.length);
        expect(new Set(written.map(({ id }) => id))).toEqual(new Set(stored.map(({ id }) => id)));
        const { rows: raw } = await admin.query(`select "_version" from notes where "_tenant" = $1`, [tenant]);
        expect(raw).toHaveLength(stored.length);
      }),
      { numRuns: 40 },
    );
  });
});
