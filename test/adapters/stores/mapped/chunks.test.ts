// @long

import pg from "pg";
import { createService, defineResource, type Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const parts = defineResource("parts", {
  schema: z.object({ id: z.uuid(), code: z.string(), amount: z.int(), total: z.int().optional() }),
  unique: ["code"],
  table: {
    ...{ name: "parts", managed: false, version: "hash", tenant: "shared" },
    constraints: { positive_amount: { field: "amount", detail: "Must be above 0." } },
  },
});

/** The id of a part, in the form that PostgreSQL gives it or another. */
const idAt = (index: number) => `00000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
const partAt = (index: number, change = {}) => ({
  id: idAt(index),
  code: `c${index}`,
  amount: index + 1,
  _version: "",
  _updatedAt: new Date(0),
  ...change,
});

describe("many rows for a table of a developer (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let storage: Storage;
  let pool: pg.Pool;
  let statements: string[] = [];
  beforeAll(async () => {
    const connectionString = await schema.create();
    pool = new pg.Pool({ connectionString, max: 2 });
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      client.query = ((...args: unknown[]) => {
        statements.push(typeof args[0] === "string" ? args[0] : (args[0] as { readonly text: string }).text);
        return query(...args);
      }) as typeof client.query;
    });
    storage = postgresStorage({ pool });
  });
  afterAll(async () => {
    await pool.end();
    await schema.drop();
  });

  async function open(...changes: readonly string[]) {
    await pool.query("drop table if exists parts cascade");
    await pool.query(
      `create table parts (id uuid primary key, code text not null unique, amount int not null constraint positive_amount check (amount > 0), total int)`,
    );
    for (const text of changes) await pool.query(text);
    const service = createService({ resources: [parts], storage, logger: false });
    await service.start();
    return complete(storage.collection(parts.model as CollectionModel), "id");
  }

  test("1,000 rows take some ten statements, and are returned in the order of the inputs", async () => {
    const rows = await open();
    statements = [];
    const outcomes = await rows.insertMany(
      Array.from({ length: 1_000 }, (_, index) => partAt(999 - index)),
      {},
    );
    expect(outcomes.map((outcome) => outcome.ok && outcome.row["code"])).toEqual(Array.from({ length: 1_000 }, (_, index) => `c${999 - index}`));
    expect(statements.length).toBeLessThan(40);
    expect(await rows.count(undefined, {})).toBe(1_000);
  });

  test("rows at fault are refused by themselves, and their neighbours are written", async () => {
    const rows = await open();
    const faults: Readonly<Record<number, object>> = { 0: { amount: 0 }, 137: { code: "c2" }, 138: { amount: 2 ** 40 }, 499: { amount: -1 } };
    statements = [];
    const outcomes = await rows.insertMany(
      Array.from({ length: 500 }, (_, index) => partAt(index, faults[index])),
      {},
    );
    const refused = outcomes.flatMap((outcome, index) =>
      outcome.ok ? [] : [[index, outcome.why, "fields" in outcome ? outcome.fields : undefined]],
    );
    expect(refused).toEqual([
      [0, "refused", ["amount"]],
      [137, "conflict", ["code"]],
      [138, "refused", ["amount"]],
      [499, "refused", ["amount"]],
    ]);
    expect(await rows.count(undefined, {})).toBe(496);
    expect(statements.length).toBeLessThan(300);
  });

  test("rows that are all refused cost no more than one after the other", async () => {
    const rows = await open();
    statements = [];
    const outcomes = await rows.insertMany(
      Array.from({ length: 200 }, (_, index) => partAt(index, { amount: 0 })),
      {},
    );
    expect(outcomes.every((outcome) => !outcome.ok && outcome.why === "refused")).toBe(true);
    expect(statements.length).toBeLessThan(200 * 3 + 50);
  });

  test("ids in another form than that of the database are matched with their inputs", async () => {
    const rows = await open();
    const id = "ABCDEF00-0000-4000-8000-000000000001";
    const outcomes = await rows.insertMany([partAt(1), partAt(2, { id }), partAt(3)], {});
    expect(outcomes.map((outcome) => outcome.ok && outcome.row["id"])).toEqual([idAt(1), id.toLowerCase(), idAt(3)]);
  });

  test("a row that a trigger ignores is refused, and its neighbours are written", async () => {
    const rows = await open(
      `create or replace function ignore_some() returns trigger language plpgsql as $$ begin if new.code = 'c2' then return null; end if; return new; end $$`,
      `create trigger ignore_some before insert on parts for each row execute function ignore_some()`,
    );
    const outcomes = await rows.insertMany(
      [1, 2, 3].map((index) => partAt(index)),
      {},
    );
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.row["code"] : outcome.why))).toEqual(["c1", "refused", "c3"]);
  });

  test("a row that a generated column cannot be computed for is refused, and its neighbours are written", async () => {
    const rows = await open("alter table parts add column inverse numeric generated always as (1.0 / (amount - 5)) stored");
    const outcomes = await rows.insertMany(
      [3, 4, 5].map((index) => partAt(index)),
      {},
    );
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.row["code"] : outcome.why))).toEqual(["c3", "refused", "c5"]);
    expect(await rows.update(idAt(3), { amount: 5, _version: "", _updatedAt: new Date(0) }, {})).toMatchObject({
      ok: false,
      why: "refused",
      rule: "range",
    });
  });

  test("rows are returned as AFTER triggers leave them", async () => {
    const rows = await open(
      `create or replace function add_up() returns trigger language plpgsql as $$ begin update parts set total = amount * 10 where id = new.id; return null; end $$`,
      `create trigger add_up after insert on parts for each row execute function add_up()`,
    );
    const outcomes = await rows.insertMany(
      [1, 2].map((index) => partAt(index)),
      {},
    );
    const stored = await rows.getMany([idAt(1), idAt(2)], {});
    expect(outcomes.map((outcome) => outcome.ok && outcome.row["total"])).toEqual([20, 30]);
    for (const outcome of outcomes) expect(stored).toContainEqual(outcome.ok && outcome.row);
  });

  test("a repeated batch of operations answers its rows, and inserts those that were refused before", async () => {
    const rows = await open();
    const operationIds = Array.from({ length: 100 }, (_, index) => `batch/${index}`);
    const all = (change: object) => Array.from({ length: 100 }, (_, index) => partAt(index, index === 50 ? change : {}));
    const first = await rows.insertMany(all({ amount: 0 }), { operationIds });
    const second = await rows.insertMany(all({ amount: 7 }), { operationIds });
    expect(first.map((outcome) => outcome.ok && outcome.created)).toEqual(operationIds.map((_, index) => index !== 50));
    expect(second.map((outcome) => outcome.ok && outcome.created)).toEqual(operationIds.map((_, index) => index === 50));
    expect(await rows.count(undefined, {})).toBe(100);
  });
});
