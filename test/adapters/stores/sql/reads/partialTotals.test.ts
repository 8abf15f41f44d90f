// @slow

import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { postgresDialect } from "../../../../../adapters/stores/sql/engine/postgres/postgresDialect.js";
import { countRows, readCount } from "../../../../../adapters/stores/sql/query/counting.js";
import { compileTable } from "../../../../../adapters/stores/sql/schema/table.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import { createService, defineResource } from "../../../../../src/index.js";
import { clientOf } from "../../../../tools/client.js";
import { needs } from "../../../../tools/engines.js";
import { describeInStorages } from "../../../../tools/storage/describeInStorages.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

const rows = 60_500;

/** Every 2,000th is open, every 10th is red; only the status has an index. */
const itemOf = (n: number) => ({ id: n, status: n % 2_000 === 0 ? "open" : "done", color: n % 10 === 0 ? "red" : "blue", size: n % 500 });
const schema = z.object({ id: z.int(), status: z.string(), color: z.string(), size: z.int() });

interface Meta {
  readonly total: number | null;
  readonly totalRelation: "eq" | "gte" | null;
  readonly pages: number | null;
}

describeInStorages("totals of lists", async (open) => {
  let list: (query: string) => Promise<{ readonly meta: Meta; readonly data: readonly unknown[] }>;
  let end = async () => {};

  beforeAll(async () => {
    const { storage } = await open();
    const items = defineResource("items", { schema, index: ["status"], filter: { status: true, color: true, size: true }, sort: ["size"] });
    const service = createService({ resources: [items], storage, logger: false });
    await service.start();
    const collection = storage.collection(items.model);
    for (let start = 0; start < rows; start += 5_000) {
      const part = Array.from({ length: Math.min(5_000, rows - start) }, (_, index) => ({
        ...itemOf(start + index + 1),
        _version: "v",
        _updatedAt: new Date(0),
      }));
      await collection.insertMany?.(part, {});
    }
    const send = clientOf(service);
    list = async (query) => (await send({ target: `/items?${query}` })).json as Awaited<ReturnType<typeof list>>;
    end = () => service.close();
  }, 120_000);
  afterAll(() => end());

  test.each([
    ["status=open&perPage=5", (n: ReturnType<typeof itemOf>) => n.status === "open"],
    ["status=open&color=red&perPage=5", (n: ReturnType<typeof itemOf>) => n.status === "open" && n.color === "red"],
    ["color=red&perPage=5", (n: ReturnType<typeof itemOf>) => n.color === "red"],
    ["size=7&perPage=5&sort=size", (n: ReturnType<typeof itemOf>) => n.size === 7],
    ["color=green&perPage=5", () => false],
    ["size[gte]=0&perPage=5", () => true],
  ] as const)("never say more than there is, nor that it is all if it is not: %s", async (query, matches) => {
    const all = Array.from({ length: rows }, (_, index) => itemOf(index + 1)).filter(matches).length;
    const { meta, data } = await list(query);
    if (meta.totalRelation === "eq") expect(meta.total).toBe(all);
    else {
      expect(meta.totalRelation).toBe("gte");
      expect(meta.total).toBeLessThanOrEqual(all);
      expect(meta.total).toBeGreaterThanOrEqual(Math.min(data.length + Number(all > data.length), 10_000));
      expect(meta.pages).toBeNull();
    }
    expect((await list(`${query}&count=exact`)).meta).toMatchObject({ total: all, totalRelation: "eq" });
  });
});

describe("totals of lists, by their statement on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  const model: CollectionModel = {
    name: "items",
    id: "id",
    idFrom: "store",
    columns: [
      { name: "id", kind: "int" },
      { name: "status", kind: "text" },
      { name: "color", kind: "text" },
      { name: "ownerId", kind: "int" },
    ],
    unique: [],
    indexes: [[["status"]]],
    searchable: [],
  };
  const table = compileTable(model, postgresDialect);
  const is = (name: string, value: string): Filter => ({ op: "eq", path: [name], value });
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await schema.create() });
    const storage = postgresStorage({ pool });
    await storage.migrate?.([model]);
    await pool.query(
      `insert into items ("_tenant", id, status, color, "ownerId", "_version", "_updatedAt") ` +
        `select '', n, case when n % 2000 = 0 then 'open' else 'done' end, case when n % 10 = 0 then 'red' else 'blue' end, n % 7, 'v', now() from generate_series(1, ${rows}) as n`,
    );
    await pool.query("analyze items");
  });
  afterAll(async () => {
    await pool.end();
    await schema.drop();
  });

  const limits = { max: 10_001, maxRead: 50_000 };

  test.each<[string, Filter, { readonly count: number; readonly isPartial: boolean }]>([
    ["a value that its index finds", is("status", "open"), { count: 30, isPartial: false }],
    [
      "a value that its index finds, and one to check",
      { op: "and", args: [is("status", "open"), is("color", "red")] },
      { count: 30, isPartial: false },
    ],
    ["a value to check that few rows have", is("color", "green"), { count: 0, isPartial: true }],
    ["a value to check that many rows have", is("color", "red"), { count: 5_000, isPartial: true }],
    ["a value to check that most rows have", is("color", "blue"), { count: 10_001, isPartial: false }],
    ["one of two, of which an index finds one", { op: "or", args: [is("status", "open"), is("color", "green")] }, { count: 30, isPartial: false }],
  ])("%s", async (_, filter, expected) => {
    const { text, values } = countRows(table, filter, "", limits);
    const { rows: found } = await pool.query<{ count: string }>(text, [...values]);
    const { count, isPartial } = readCount(found[0]?.count);
    // The rows are read in no order, so that a count may find a few more or less.
    expect(isPartial).toBe(expected.isPartial);
    expect(Math.abs(count - expected.count)).toBeLessThan(expected.isPartial ? 20 : 1);
  });

  test("reads no more rows than it may", async () => {
    const { text, values } = countRows(table, is("color", "green"), "", limits);
    const { rows: plan } = await pool.query<{ "QUERY PLAN": string }>(`explain (analyze) ${text}`, [...values]);
    const read = plan.flatMap((line) => /(?:Scan|Index).* rows=(\d+)(?:\.\d+)? loops/.exec(line["QUERY PLAN"])?.[1] ?? []);
    expect(Math.max(...read.map(Number))).toBeLessThanOrEqual(50_001);
    expect(read.length).toBeGreaterThan(0);
  });
});
