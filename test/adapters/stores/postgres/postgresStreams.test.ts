// @slow

import pg from "pg";
import { ConfigurationError, defineResource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Row } from "../../../../src/ground/storage/collection.js";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Query } from "../../../../src/ground/storage/query.js";
import { needs } from "../../../tools/engines.js";
import { eventually } from "../../../tools/eventually.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const schema = z.object({ id: z.int(), text: z.string() });
const notes = defineResource("notes", { schema, generated: { id: "increment" } }).model;
const old = defineResource("old", {
  schema,
  generated: { id: "database" },
  table: { name: "old_notes", managed: false, version: "hash", tenant: "shared" },
}).model;

const batch = 10;
const everything: Query = { sort: [], limit: 1_000 };

describe("streams of PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const place = ownSchema();
  let connectionString = "";
  let pool: pg.Pool;
  let storage: ReturnType<typeof postgresStorage>;
  let open: AsyncIterator<Row[]>[] = [];

  beforeAll(async () => {
    connectionString = `${await place.create()}&application_name=${place.name}`;
    const other = new pg.Client({ connectionString });
    await other.connect();
    await other.query("create table old_notes (id integer generated always as identity primary key, text text not null)");
    await other.query("insert into old_notes (text) select 'a note' from generate_series(1, 25)");
    await other.end();
    await openPool(1);
    await rowsOf(notes).insertMany(
      Array.from({ length: 25 }, () => ({ text: "a note", _version: "1", _updatedAt: new Date(0) })),
      {},
    );
    await pool.end();
  });
  afterEach(async () => {
    await Promise.all(open.map(async (each) => each.return?.()));
    open = [];
    await pool.end();
  });
  afterAll(() => place.drop());

  async function openPool(max: number, maxStreams?: number): Promise<void> {
    pool = new pg.Pool({ connectionString, max });
    storage = postgresStorage({ pool, maxStreams });
    await storage.migrate?.([notes, old]);
  }
  const rowsOf = (model: CollectionModel) => complete(storage.collection(model));

  function begin(model: CollectionModel, call: Parameters<Required<ReturnType<typeof rowsOf>>["iterate"]>[1] = {}) {
    const stream = rowsOf(model)
      .iterate(everything, { batch, ...call })
      [Symbol.asyncIterator]();
    open.push(stream);
    const began = { stream, first: stream.next(), state: "waiting" };
    began.first.then(
      () => Object.assign(began, { state: "reading" }),
      () => Object.assign(began, { state: "refused" }),
    );
    return began;
  }
  const inUse = () => pool.totalCount - pool.idleCount;

  test.each([
    ["this library", 3, 1, notes],
    ["the developer", 3, 1, old],
    ["this library", 7, 2, notes],
    ["this library", 1, 1, notes],
  ])("of a table of %s have their share of a pool of %i, which is %i, and get their turns as they came", async (_, size, share, model) => {
    await openPool(size);
    const all = Array.from({ length: share + 3 }, () => begin(model));
    const states = () => all.map(({ state }) => state);
    const expected = (reading: number) => all.map((_, index) => (index < reading ? "reading" : "waiting"));
    await eventually(() => expect(states()).toEqual(expected(share)));
    if (size > 1) for (let reads = 0; reads < 20; reads++) expect(await rowsOf(model).get(1, {})).toMatchObject({ id: 1 });
    expect([states(), inUse()]).toEqual([expected(share), share]);
    for (let ended = 1; ended <= 3; ended++) {
      await all[ended - 1]?.stream.return?.();
      await eventually(() => expect(states()).toEqual(expected(share + ended)));
      expect(inUse()).toBe(share);
    }
  });

  test("are refused if none ends in the time of a read, and their places are not lost", async () => {
    await openPool(3);
    const first = begin(notes);
    await first.first;
    const late = begin(notes, { budgetMs: 30 });
    await expect(late.first).rejects.toThrow(Unavailable);
    await expect(late.first).rejects.toThrow('Streams hold as many connections of the pool as they may (1). Raise "maxStreams", or export as a job.');
    const leaving = new AbortController();
    const left = begin(notes, { signal: leaving.signal });
    leaving.abort(new Error("the client has left"));
    await expect(left.first).rejects.toThrow("the client has left");
    await first.stream.return?.();
    const next = begin(notes);
    await next.first;
    expect(inUse()).toBe(1);
  });

  test("of background work wait as long as they must, and leave one place to those of clients", async () => {
    await openPool(9);
    const jobs = Array.from({ length: 3 }, () => begin(notes, { isBackground: true, budgetMs: 1_000 }));
    await Promise.all(jobs.slice(0, 2).map(({ first }) => first));
    const client = begin(notes);
    await client.first;
    await expect(begin(notes, { budgetMs: 1_000 }).first).rejects.toThrow(Unavailable);
    expect(jobs.map(({ state }) => state)).toEqual(["reading", "reading", "waiting"]);
    await client.stream.return?.();
    await expect(Promise.race([jobs[2]?.first, begin(notes).first])).resolves.toMatchObject({ done: false });
    expect(jobs[2]?.state).toBe("waiting");
    await jobs[0]?.stream.return?.();
    await jobs[2]?.first;
  });

  test.each([
    [notes, 100, 1],
    [old, 100, 1],
    [notes, batch, 3],
    [notes, 25, 2],
  ])("hold no connection when the last rows are taken: %#", async (model, size, batches) => {
    await openPool(3);
    const { stream, first } = begin(model, { batch: size });
    let taken = (await first).value?.length ?? 0;
    for (let read = 1; read < batches; read++) taken += (await stream.next()).value?.length ?? 0;
    expect([taken, inUse()]).toEqual([25, 0]);
    expect(await stream.next()).toMatchObject({ done: true });
  });

  test("that fail give their place back", async () => {
    await openPool(3);
    const { stream, first } = begin(notes);
    await first;
    const ofStream = `application_name = '${place.name}' and state = 'idle in transaction'`;
    expect((await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${ofStream}`)).rowCount).toBe(1);
    await expect(stream.next()).rejects.toThrow(Unavailable);
    await begin(notes).first;
  });

  test("have as many connections as the developer says, but not all", async () => {
    await openPool(3, 2);
    await Promise.all([begin(notes), begin(notes)].map(({ first }) => first));
    await expect(begin(notes, { budgetMs: 30 }).first).rejects.toThrow(Unavailable);
    expect(inUse()).toBe(2);
    expect(() => postgresStorage({ pool, maxStreams: 3 })).toThrow(ConfigurationError);
    expect(() => postgresStorage({ connectionString, maxStreams: 10 })).toThrow('given a "maxStreams" that is less than the connections of the pool');
    expect(() => postgresStorage({ connectionString, poolSize: 1, maxStreams: 1 })).not.toThrow();
  });
});
