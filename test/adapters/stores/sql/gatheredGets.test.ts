import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { SqlExecutor, SqlResult, SqlRow, SqlStatement } from "../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqlStorage } from "../../../../adapters/stores/sql/storage.js";
import { QueryTimeout, Unavailable } from "../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import { needs } from "../../../tools/engines.js";
import { eventually } from "../../../tools/eventually.js";
import { frozenTime } from "../../../tools/frozenTime.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const model = (name: string, kind: "text" | "int" | "bigint"): CollectionModel => ({
  name,
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind },
    { name: "text", kind: "text" },
    { name: "data", kind: "json" },
  ],
  unique: [],
  indexes: [],
  searchable: [],
});
const notes = model("notes", "text");

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Of one turn of the event loop, so that the gets after the first wait for each other. */
const together = <T>(works: readonly (() => Promise<T>)[]) => Promise.all(works.map((work) => work()));

describe("gets that wait at the same time, by what they send", () => {
  frozenTime();

  const stored = (id: string): SqlRow => ({ id, text: `text ${id}`, data: { n: 1 }, _version: "v", _updatedAt: new Date(0) });
  const idsOf = ({ values }: SqlStatement) => String(values[0]).replaceAll(/[{}"]/g, "").split(",");

  function open(answer: (statement: SqlStatement) => SqlResult | Promise<SqlResult>) {
    const sent: SqlStatement[] = [];
    const executor: SqlExecutor = {
      dialect: "postgres",
      gathers: true,
      async query(statement) {
        sent.push(statement);
        // By turns of the event loop, not by time: what waits meanwhile is the same however busy the machine is.
        for (let count = 0; count < 5; count++) await turn();
        return answer(statement);
      },
      transaction: () => Promise.reject(new Error("There is none.")),
    };
    return { sent, rows: sqlStorage(executor).collection(notes) };
  }
  const found = (statement: SqlStatement): SqlResult => ({ rows: idsOf(statement).map(stored), affected: 0 });
  const some = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

  test("the first goes alone and at once, the others in one statement, two under way", async () => {
    const { sent, rows } = open(found);
    const ids = some(200);
    const got = await together(ids.map((id) => () => rows.get(id, {})));
    expect(got.map((row) => row?.["text"])).toEqual(ids.map((id) => `text ${id}`));
    expect(sent.map((statement) => idsOf(statement).length)).toEqual([1, 8, 8, 64, 64, 55]);
    expect(sent[0]?.text).not.toContain("any(");
  });

  test("one after the other each goes alone", async () => {
    const { sent, rows } = open(found);
    for (const id of some(3)) await rows.get(id, {});
    expect(sent.every(({ text }) => !text.includes("any("))).toBe(true);
  });

  test("those of two tenants never share a statement", async () => {
    const { sent, rows } = open(found);
    await together(["a", "b"].flatMap((tenant) => some(20).map((id) => () => rows.get(id, { tenant }))));
    expect(sent.length).toBeLessThan(20);
    expect(new Set(sent.map(({ values }) => values.at(-1)))).toEqual(new Set(["a", "b"]));
  });

  test("as many go together as have a megabyte by the mean of the rows before", async () => {
    const { sent, rows } = open((statement) => ({ ...found(statement), bytes: 100_000 * idsOf(statement).length }));
    await together(some(64).map((id) => () => rows.get(id, {})));
    // Of the first statements nothing is known.
    expect(sent.slice(0, 2).map((statement) => idsOf(statement).length)).toEqual([1, 8]);
    sent.length = 0;
    await together(some(64).map((id) => () => rows.get(id, {})));
    expect(Math.max(...sent.map((statement) => idsOf(statement).length))).toBe(10);
  });

  test("an error of one row is that of its own get", async () => {
    const { sent, rows } = open((statement) => {
      if (idsOf(statement).includes("n7")) throw Object.assign(new Error("invalid memory"), { code: "XX000" });
      return found(statement);
    });
    const got = await Promise.allSettled(some(20).map((id) => rows.get(id, {})));
    expect(got.flatMap(({ status }, index) => (status === "rejected" ? [index] : []))).toEqual([7]);
    // It was asked for with others, and then alone.
    expect(sent.map(idsOf).filter((ids) => ids.includes("n7"))).toHaveLength(2);
  });

  test("a row that cannot be decoded is the error of its own get", async () => {
    const { rows } = open((statement) => ({
      rows: idsOf(statement).map((id) => ({ ...stored(id), ...(id === "n3" && { _updatedAt: "yesterday" }) })),
      affected: 0,
    }));
    const got = await Promise.allSettled(some(9).map((id) => rows.get(id, {})));
    expect(got.flatMap(({ status }, index) => (status === "rejected" ? [index] : []))).toEqual([3]);
  });

  test("a lost connection is the error of all, and nothing is sent again", async () => {
    const { sent, rows } = open(() => {
      throw new Error("Connection terminated unexpectedly");
    });
    const got = await Promise.allSettled(some(9).map((id) => rows.get(id, {})));
    for (const result of got) expect(result).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) as unknown });
    expect(sent).toHaveLength(2);
  });

  test("two statements that are not answered keep no later get from its row", async () => {
    let asked = 0;
    const unanswered = new Promise<never>(() => {});
    const { rows } = open((statement) => {
      asked += 1;
      return asked <= 2 ? unanswered : found(statement);
    });
    for (const id of ["stuck", "stuck too"]) {
      rows.get(id, {}).catch(() => {});
      await turn();
    }
    await eventually(() => expect(asked).toBe(2));
    const got = together(some(5).map((id) => () => rows.get(id, { budgetMs: 5_000 })));
    vi.advanceTimersByTime(100);
    const later = await got;
    expect(later.map((row) => row?.["id"])).toEqual(some(5));
  });

  test("several of one row get values that they do not share", async () => {
    const { rows } = open((statement) => ({ rows: [...new Set(idsOf(statement))].map(stored), affected: 0 }));
    const got = await together(["x", "a", "a", "a"].map((id) => () => rows.get(id, {})));
    (got[1]?.["data"] as Record<string, unknown>)["n"] = "changed";
    expect(got.slice(2).map((row) => row?.["data"])).toEqual([{ n: 1 }, { n: 1 }]);
  });

  test("those that have left before they are sent are not sent", async () => {
    const { sent, rows } = open(found);
    const controller = new AbortController();
    const first = rows.get("first", {});
    const [second, third] = [rows.get("second", {}), rows.get("third", {})];
    // Two statements are under way, so these wait until both are answered.
    await turn();
    const left = Promise.allSettled(some(3).map((id) => rows.get(id, { signal: controller.signal })));
    controller.abort(new Error("The client is gone."));
    await Promise.all([first, second, third]);
    for (const result of await left) expect(result.status).toMatch(/fulfilled|rejected/);
    expect(sent.length).toBeLessThanOrEqual(3);
    // Nothing is left behind: the next one goes alone and at once.
    const before = sent.length;
    await rows.get("later", {});
    expect(sent).toHaveLength(before + 1);
  });
});

describe("gets that wait at the same time on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString: string;
  let admin: pg.Pool;
  const models = [notes, model("counted", "int"), model("large", "bigint")];

  beforeAll(async () => {
    connectionString = await schema.create();
    admin = new pg.Pool({ connectionString });
    const storage = sqlStorage(postgresExecutor({ connectionString }));
    await storage.migrate?.(models);
    await storage.close?.();
  });
  afterAll(async () => {
    await admin.end();
    await schema.drop();
  });

  function open({ pool, poolSize = 10 }: { readonly pool?: pg.Pool; readonly poolSize?: number } = {}) {
    const inner = postgresExecutor(pool === undefined ? { connectionString, poolSize } : { pool });
    onTestFinished(() => inner.close?.());
    const sent: SqlStatement[] = [];
    const executor: SqlExecutor = {
      dialect: inner.dialect,
      gathers: inner.gathers,
      query(statement, bounds) {
        sent.push(statement);
        return inner.query(statement, bounds);
      },
      transaction: (run, options) => inner.transaction(run, options),
    };
    return { sent, storage: sqlStorage(executor) };
  }
  const newNote = (id: Id, text = "a") => ({ id, text, data: { id: String(id) }, _version: "v", _updatedAt: new Date(0) });

  test.each([
    ["texts", 0, ["", "a", "A", "a,b", "{}", '"', "\\", '\\"', "NULL", " a ", "é", "漢", "'; --", "a\tb"]],
    ["integers", 1, [0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]],
    ["integers of 64 bits", 2, [0n, 2n ** 63n - 1n, -(2n ** 63n)]],
  ] as const)("find each row by its id: %s", async (_, index, ids) => {
    const { sent, storage } = open();
    const rows = storage.collection(models[index] as CollectionModel);
    for (const id of ids) await rows.insert(newNote(id), {});
    sent.length = 0;
    const got = await together([...ids, ...ids].map((id) => () => rows.get(id, {})));
    expect(got.map((row) => row?.["id"])).toEqual([...ids, ...ids]);
    expect(got.map((row) => row?.["data"])).toEqual([...ids, ...ids].map((id) => ({ id: String(id) })));
    expect(sent.length).toBeLessThan(ids.length + 2);
  });

  test("see every commit that came before them", async () => {
    const { storage } = open();
    const rows = storage.collection(notes);
    await rows.insert(newNote("seen", "0"), {});
    let committed = 0;
    let isOver = false;
    const write = async () => {
      for (let text = 1; text <= 150; text++) {
        await rows.update("seen", { text: String(text), _version: "v", _updatedAt: new Date(0) }, {});
        committed = text;
      }
      isOver = true;
    };
    const read = async () => {
      while (!isOver) {
        const before = committed;
        const row = await rows.get("seen", {});
        expect(Number(row?.["text"])).toBeGreaterThanOrEqual(before);
      }
    };
    await Promise.all([write(), ...Array.from({ length: 16 }, read)]);
  });

  /** Rows of which a statement waits until the end of the lock. */
  async function locked() {
    const { sent, storage } = open();
    const rows = storage.collection(notes);
    await rows.get("warm", {});
    const locker = await admin.connect();
    await locker.query("begin; lock table notes");
    const unlock = async () => {
      await locker.query("commit");
      locker.release();
    };
    const waiting = async () => {
      const { rows: found } = await admin.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from%notes%'`);
      return found.length;
    };
    return { sent, rows, unlock, waiting };
  }

  test("end when their own signal does, and the others get their rows", async () => {
    const { rows, unlock, waiting } = await locked();
    await admin.query("select 1");
    const controller = new AbortController();
    const first = rows.get("seen", {});
    const gets = Array.from({ length: 4 }, (_, index) => rows.get("seen", index === 2 ? { signal: controller.signal } : {}));
    await eventually(async () => expect(await waiting()).toBe(2));
    controller.abort(new Error("The client is gone."));
    await expect(gets[2]).rejects.toThrow("The client is gone.");
    expect(await waiting()).toBe(2);
    await unlock();
    for (const get of [first, ...gets.toSpliced(2, 1)]) expect((await get)?.["id"]).toBe("seen");
  });

  test("end the statement when the last of them has left, and leave its connection in order", async () => {
    const { rows, unlock, waiting } = await locked();
    const controllers = Array.from({ length: 4 }, () => new AbortController());
    const gets = controllers.map(({ signal }) => rows.get("seen", { signal }));
    const ended = Promise.allSettled(gets);
    await eventually(async () => expect(await waiting()).toBe(2));
    for (const controller of controllers) controller.abort(new Error("The client is gone."));
    for (const result of await ended) expect(result).toMatchObject({ status: "rejected", reason: { message: "The client is gone." } });
    await eventually(async () => expect(await waiting()).toBe(0));
    await unlock();
    expect((await rows.get("seen", {}))?.["id"]).toBe("seen");
  });

  test("each keep their own limit of time", async () => {
    const { rows, unlock } = await locked();
    const first = rows.get("seen", {});
    const bounded = Promise.allSettled([rows.get("seen", { budgetMs: 60 }), rows.get("seen", { budgetMs: 120 })]);
    const unbounded = rows.get("seen", {});
    const [brief, longer] = await bounded;
    await unlock();
    await first;
    expect(brief).toMatchObject({ status: "rejected", reason: expect.any(QueryTimeout) as unknown });
    expect(longer).toMatchObject({ status: "rejected", reason: expect.any(QueryTimeout) as unknown });
    expect((await unbounded)?.["id"]).toBe("seen");
  });

  test("are not gathered on a pool of the developer, which may have a role for each request, nor in a transaction", async () => {
    const pool = new pg.Pool({ connectionString, max: 4 });
    onTestFinished(() => pool.end());
    const [own, ours] = [open({ pool }), open()];
    await together(Array.from({ length: 8 }, () => () => own.storage.collection(notes).get("seen", {})));
    expect(own.sent.filter(({ text }) => text.includes("any("))).toEqual([]);
    expect(own.sent).toHaveLength(8);
    await ours.storage.transaction?.(async (tx) => {
      expect((await tx.collection(notes).get("seen", {}))?.["id"]).toBe("seen");
    });
    expect(ours.sent).toEqual([]);
  });

  test("give what single gets give, whatever comes together", async () => {
    const { storage } = open({ poolSize: 3 });
    const rows = storage.collection(model("counted", "int"));
    for (let id = 100; id < 140; id++) await rows.insert(newNote(id, `text ${id}`), { tenant: id % 2 === 0 ? "even" : "" });
    const asked = fc.record({
      id: fc.integer({ min: 98, max: 142 }),
      tenant: fc.constantFrom("even", undefined),
      after: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 150 }), async (asks) => {
        const got = await Promise.all(
          asks.map(async ({ id, tenant, after }) => {
            for (let turn = 0; turn < after; turn++) await new Promise((resolve) => setImmediate(resolve));
            return rows.get(id, { tenant });
          }),
        );
        const expected = asks.map(({ id, tenant }) => (id >= 100 && id < 140 && (id % 2 === 0) === (tenant === "even") ? `text ${id}` : undefined));
        expect(got.map((row) => row?.["text"])).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
