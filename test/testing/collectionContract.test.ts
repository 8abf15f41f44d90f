// @slow

import pg from "pg";
import { type Collection, type CollectionModel, defineResource, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { collectionContract } from "restwright/testing";
import { decimal } from "restwright/values";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { complete } from "../../src/ground/storage/completed/complete.js";
import type { Filter } from "../../src/ground/storage/filter.js";
import { needs } from "../tools/engines.js";
import { ownSchema } from "../tools/storage/postgresSchema.js";

const shape = {
  id: z.int(),
  email: z.email(),
  name: z.string().nullable(),
  price: decimal({ precision: 10, scale: 2 }),
  stock: z.int().nullable(),
  active: z.boolean(),
  at: z.date(),
  tags: z.array(z.string()),
};
const things = defineResource("things", { schema: z.object(shape), unique: ["email"], index: ["name"] });
const mappedTable = { name: "app_things", managed: false, version: "hash" } as const;
const mapped = {
  alone: defineResource("things", { schema: z.object(shape), unique: ["email"], table: { ...mappedTable, tenant: "shared" } }),
  tenants: defineResource("things", { schema: z.object(shape), unique: ["email"], table: { ...mappedTable, tenant: { column: "org" } } }),
};

const row = (index: number) => ({
  id: index + 1,
  email: `user${index}@example.com`,
  name: index % 5 === 4 ? null : `name ${index % 3}`,
  price: `${(index * 7) % 20}.${String(index).padStart(2, "0")}`,
  stock: index % 4 === 3 ? null : index % 6,
  active: index % 2 === 0,
  at: new Date(1_700_000_000_000 + ((index * 37) % 11) * 1_000),
  tags: index % 2 === 0 ? [] : [`t${index}`],
});

/** Empties a collection through the store itself. */
const emptying = (storage: Storage, model: CollectionModel) => async () => {
  for (const tenant of ["a", "b", undefined]) await complete(storage.collection(model), model.id).removeMany(undefined, { tenant });
};

/** Runs all cases. @returns the reasons of those that were skipped */
async function passes(options: Parameters<typeof collectionContract>[0]): Promise<readonly string[]> {
  const cases = await collectionContract(options);
  for (const { name, skip, run } of cases) {
    if (skip === undefined) await run().catch((error: unknown) => expect.fail(`${name}: ${String(error)}`));
  }
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  return cases.flatMap(({ skip }) => skip ?? []);
}

describe("the contract of a collection is fulfilled by", () => {
  test("memory", async () => {
    const storage = memoryStorage();
    expect(await passes({ open: async () => storage, model: things.model, row, reset: emptying(storage, things.model) })).toEqual([]);
  });

  test("a composite id in memory", async () => {
    const lines = defineResource("lines", { schema: z.object({ order: z.int(), line: z.int(), text: z.string() }), id: ["order", "line"] });
    const storage = memoryStorage();
    const sample = (index: number) => ({ order: index % 3, line: index, text: `t${index}` });
    expect(await passes({ open: async () => storage, model: lines.model, row: sample, reset: emptying(storage, lines.model) })).toEqual([]);
  });

  test("SQLite, in a table of its own and in one of the developer", async () => {
    const storage = sqliteStorage({ path: ":memory:" });
    onTestFinished(async () => storage.close?.());
    expect(await passes({ open: async () => storage, model: things.model, row, reset: emptying(storage, things.model) })).toEqual([]);
    const run = async (text: string) => void (await storage.transaction?.(async (tx) => tx.sql?.(text, [])));
    await run(
      "create table app_things (id integer primary key, email text not null unique, name text, price decimal(10, 2) not null, stock integer, active boolean not null, at datetime not null, tags json not null, org text)",
    );
    const reset = () => run("delete from app_things");
    expect(await passes({ open: async () => storage, model: mapped.alone.model, row, reset })).toEqual(["the options have no tenants"]);
    expect(await passes({ open: async () => storage, model: mapped.tenants.model, row, reset, tenants: ["x", "y"] })).toEqual([]);
  });

  test("a table of the developer in PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), async () => {
    const schema = ownSchema();
    const connectionString = await schema.create();
    const client = new pg.Client({ connectionString });
    await client.connect();
    const storage = postgresStorage({ connectionString });
    onTestFinished(async () => {
      await storage.close?.();
      await client.end();
      await schema.drop();
    });
    await client.query(
      "create table app_things (id int8 primary key, email text not null unique, name text, price numeric(10, 2) not null, stock int4, active boolean not null, at timestamptz not null, tags text[] not null, org text)",
    );
    const reset = async () => void (await client.query("delete from app_things"));
    expect(await passes({ open: async () => storage, model: mapped.tenants.model, row, reset, tenants: ["x", "y"] })).toEqual([]);
  });
});

type Sound = Required<Collection>;

const changed = (sound: Sound, change: (filter: Filter) => Filter): Partial<Collection> => ({
  find: (query, call) => sound.find({ ...query, filter: query.filter && change(query.filter) }, call),
});

/** Mistakes as people make them in stores of their own, and the case that has to notice each. */
const defects: readonly (readonly [name: string, noticedBy: string, collection: (sound: Sound) => Partial<Collection>])[] = [
  ["nothing is wrong", "", () => ({})],
  [
    "a value that is lost",
    "an inserted row is answered and read back",
    (sound) => ({ get: async (id, call) => await sound.get(id, call).then((found) => found && { ...found, price: null }) }),
  ],
  [
    "an insert that overwrites",
    "an insert with a taken id is a conflict",
    (sound) => ({
      insert: async (given, call) => {
        await sound.remove(given["id"] as number, call);
        return sound.insert(given, call);
      },
    }),
  ],
  [
    "a unique key without a field",
    "a conflict that names its fields",
    (sound) => ({
      insert: async (given, call) =>
        sound.insert(given, call).then((made) => (made.ok || made.why !== "conflict" ? made : { ...made, fields: ["id"] })),
    }),
  ],
  [
    "an update that ignores the version",
    "stale and change nothing",
    (sound) => ({ update: (id, patch, call) => sound.update(id, patch, { ...call, ifVersion: undefined }) }),
  ],
  [
    "compare, then set",
    "concurrent updates of one version",
    (sound) => ({
      update: async (id, patch, { ifVersion, ...call }) => {
        const current = await sound.get(id, call);
        if (current !== undefined && ifVersion !== undefined && current._version !== ifVersion) return { ok: false, why: "stale", current };
        return sound.update(id, patch, call);
      },
    }),
  ],
  ["an update that replaces", "keeps the others", (sound) => ({ update: (id, patch, call) => sound.update(id, patch, { ...call, replace: true }) })],
  [
    "operations that are forgotten",
    "a repeated operation",
    (sound) => ({ insert: (given, call) => sound.insert(given, { ...call, operationId: undefined }) }),
  ],
  ["tenants that are ignored", "another tenant", (sound) => ({ get: (id, call) => sound.get(id, { ...call, tenant: "a" }) })],
  ["a filter that is ignored", "each operator", (sound) => ({ find: (query, call) => sound.find({ ...query, filter: undefined }, call) })],
  [
    "ne that loses nulls",
    "each operator",
    (sound) => changed(sound, (filter) => (filter.op === "ne" ? { op: "and", args: [filter, { op: "has", path: filter.path }] } : filter)),
  ],
  [
    "an empty or that means every row",
    "and, or and not",
    (sound) => changed(sound, (filter) => (filter.op === "or" && filter.args.length === 0 ? { op: "and", args: [] } : filter)),
  ],
  [
    "an order that is ignored",
    "each sort",
    (sound) => ({ find: (query, call) => sound.find({ ...query, sort: [{ path: ["id"], dir: "asc" }] }, call) }),
  ],
  [
    "an offset that is applied twice",
    "each sort",
    (sound) => ({ find: (query, call) => sound.find({ ...query, offset: (query.offset ?? 0) * 2 }, call) }),
  ],
  [
    "decimals that are sorted as texts",
    "each sort",
    (sound) => ({
      find: async (query, call) => {
        const rows = await sound.find(query, call);
        if (query.sort[0]?.path[0] !== "price" || query.limit < 100) return rows;
        const sorted = rows.toSorted((left, right) => (String(left["price"]) < String(right["price"]) ? -1 : 1));
        return query.sort[0].dir === "asc" ? sorted : sorted.toReversed();
      },
    }),
  ],
  ["a count of the page", "each operator", (sound) => ({ count: async (filter, call) => Math.min(3, await sound.count(filter, call)) })],
  [
    "a projection that forgets the version",
    "a choice of fields",
    (sound) => ({
      find: async (query, call) => {
        const rows = await sound.find(query, call);
        return query.fields === undefined ? rows : rows.map(({ _version, ...others }) => others as (typeof rows)[number]);
      },
    }),
  ],
  [
    "a batch that stops at its first conflict",
    "an outcome for each row",
    (sound) => ({
      insertMany: async (rows, call) => {
        const outcomes = await sound.insertMany(rows, call);
        const conflict = outcomes.findIndex((outcome) => !outcome.ok);
        return conflict < 0 ? outcomes : outcomes.slice(0, conflict + 1);
      },
    }),
  ],
];

describe("the contract of a collection notices", () => {
  test.each(defects)("%s", async (_, noticedBy, collection) => {
    const storage = memoryStorage();
    const open = async (): Promise<Storage> => ({
      name: "broken",
      collection: (model) => {
        const sound = complete(storage.collection(model), model.id);
        const { can, find, get, insert, update, remove, count, insertMany } = sound;
        return {
          can,
          find: find.bind(sound),
          get: get.bind(sound),
          insert: insert.bind(sound),
          update: update.bind(sound),
          remove: remove.bind(sound),
          count: count.bind(sound),
          insertMany: insertMany.bind(sound),
          ...collection(sound),
        };
      },
    });
    const cases = await collectionContract({ open, model: things.model, row, reset: emptying(storage, things.model) });
    const failed: string[] = [];
    for (const { name, skip, run } of cases) if (skip === undefined) await run().catch(() => failed.push(name));
    if (noticedBy === "") expect(failed).toEqual([]);
    else expect(failed).toContainEqual(expect.stringContaining(noticedBy));
  });

  test("what cannot work", async () => {
    const open = async () => memoryStorage();
    const options = { open, model: things.model, row, reset: async () => {} };
    await expect(collectionContract({ ...options, rows: row } as never)).rejects.toThrow(/collectionContract.*rows/s);
    const cases = await collectionContract({ ...options, row: () => ({ ...row(0), id: 1 }) });
    await expect(cases.find(({ name }) => name.startsWith("find without"))?.run()).rejects.toThrow("conflict");
  });
});
