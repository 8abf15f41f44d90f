// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type PostgresOptions, postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { jobContract, storageContract, subscriberContract, uploadContract, webhookContract } from "restwright/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { needs, onlyIf, postgresUrl } from "../../../tools/engines.js";
import { sampled } from "../../../tools/extent.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const model: CollectionModel = {
  name: "notes",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "title", kind: "text" },
  ],
  unique: [{ fields: ["title"] }],
  indexes: [],
  searchable: [],
};

const job = { id: "one", type: "report", tenant: undefined, owner: "ann", input: {} };
const stamp = { _version: "1", _updatedAt: new Date(0) };

/** Two storages whose tables are at different places of one database do not see each other. */
async function expectApart(first: Storage, second: Storage): Promise<void> {
  for (const storage of [first, second]) {
    await storage.migrate?.([model]);
    expect((await storage.collection(model).insert({ title: "same", ...stamp }, {})).ok).toBe(true);
    expect(await storage.jobs?.create(job)).toBe(true);
  }
  await first.collection(model).remove(1, {});
  expect(await first.collection(model).get(1, {})).toBeUndefined();
  expect(await second.collection(model).get(1, {})).toMatchObject({ title: "same" });
  const claim = { types: ["report"], leaseMs: 60_000, max: 10, maxPerTenant: 10 };
  expect(await first.jobs?.claim(claim)).toHaveLength(1);
  expect(await second.jobs?.claim(claim)).toHaveLength(1);
  expect(await first.secret?.()).not.toBe(await second.secret?.());
}

/** Everything that has tables: the contracts of the store and of its records. Each place is another one. */
async function runContracts<Place>(store: string, places: () => Place, openAt: (place: Place) => Storage): Promise<void> {
  const used = new WeakMap<Storage, Place>();
  const openIn = async (place: Place) => {
    const storage = openAt(place);
    used.set(storage, place);
    await storage.migrate?.([]);
    return storage;
  };
  const open = () => openIn(places());
  const reopen = async (storage: Storage) => {
    await storage.close?.();
    return openIn(used.get(storage) ?? places());
  };
  const cases = [
    ...(await storageContract({ open, reopen })),
    ...(await jobContract({ open: async () => ({ storage: await open() }) })),
    ...(await webhookContract({ open: async () => ({ storage: await open() }) })),
    ...(await subscriberContract({ open: async () => ({ storage: await open() }) })),
    ...(await uploadContract({ open: async () => ({ storage: await open() }) })),
  ];
  // The stores without a place run them all.
  for (const { name, skip, run } of sampled(cases, `places in ${store}`)) test(name, onlyIf(skip === undefined, skip ?? ""), run);
}

describe("SQLite tables with a prefix", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-places-"));
  const opened: Storage[] = [];
  const open = (options: { readonly path: string; readonly prefix?: string }) => {
    const storage = sqliteStorage(options);
    opened.push(storage);
    return storage;
  };
  afterAll(async () => {
    for (const storage of opened) await storage.close?.();
    rmSync(folder, { recursive: true, force: true });
  });

  test("two services share one file", async () => {
    const path = join(folder, "shared.db");
    await expectApart(open({ path, prefix: "a_" }), open({ path, prefix: "b_" }));
  });

  test("a table that the storage of another prefix may use is refused at the start", async () => {
    const path = join(folder, "nested.db");
    await open({ path, prefix: "blog_" }).migrate?.([model]);
    await expect(open({ path }).migrate?.([{ ...model, name: "blog_notes" }])).rejects.toThrow(
      'The collection "blog_notes" would have the table "blog_notes", which another storage with the prefix "blog_" may use',
    );
  });

  test.each(["", "A_", "1_", "a-b", "sqlite_", "my_restwright_", "x".repeat(31)])("the prefix %j is refused at the start", (prefix) => {
    expect(() => sqliteStorage({ path: ":memory:", prefix })).toThrow('sqliteStorage: "prefix" must be a letter and then');
  });

  test("a schema is refused at the start", () => {
    expect(() => sqliteStorage({ path: ":memory:", schema: "app" } as never)).toThrow('"schema"');
  });

  let files = 0;
  await runContracts(
    "SQLite",
    () => join(folder, `${files++}.db`),
    (path) => open({ path, prefix: "app_" }),
  );
});

describe("PostgreSQL tables with a schema and a prefix (set POSTGRES_URL to run)", needs("postgres"), async () => {
  if (postgresUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const [schema, other] = [ownSchema(), ownSchema()];
  const connectionString = await schema.create();
  await other.create();
  const named = `${other.name} "of" ours's`;
  const opened: Storage[] = [];
  const open = (options: Pick<PostgresOptions, "schema" | "prefix" | "migrate">) => {
    const storage = postgresStorage({ connectionString, ...options });
    opened.push(storage);
    return storage;
  };
  const ask = async (text: string) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  afterAll(async () => {
    for (const storage of opened) await storage.close?.();
    await ask(`drop schema if exists "${named.slice(0, 60).replaceAll('"', '""')}" cascade`);
    await schema.drop();
    await other.drop();
  }, 60_000);

  test("two services share one schema by their prefixes", () => expectApart(open({ prefix: "a_" }), open({ prefix: "b_" })));

  test("two services share one database by their schemas", () => expectApart(open({}), open({ schema: other.name })));

  test("a missing schema is printed by a check, and created otherwise; its name is quoted", async () => {
    const wanted = named.slice(0, 60);
    const quoted = `"${wanted.replaceAll('"', '""')}"`;
    await expect(open({ schema: wanted, migrate: "check" }).migrate?.([model])).rejects.toThrow(`create schema ${quoted};`);
    const storage = open({ schema: wanted });
    await storage.migrate?.([model]);
    expect(await storage.compare?.([model])).toEqual({ missing: [], conflicts: [], unused: [] });
    expect(await storage.jobs?.create(job)).toBe(true);
    expect(await storage.jobs?.claim({ types: ["report"], leaseMs: 60_000, max: 1, maxPerTenant: 1 })).toHaveLength(1);
  });

  test.each(["", "pg_mine", "information_schema", "x".repeat(64)])("the schema %j is refused at the start", (name) => {
    expect(() => postgresStorage({ connectionString, schema: name })).toThrow('postgresStorage: "schema" must be the name of a schema');
  });

  // The contracts want stores that share no data.
  let stores = 0;
  await runContracts(
    "PostgreSQL",
    () => `app${stores++}_`,
    (prefix) => open({ schema: other.name, prefix }),
  );
});
