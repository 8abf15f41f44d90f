import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dialects } from "../../../../../adapters/stores/sql/engine/engines.js";
import type { SqlExecutor, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { countRows } from "../../../../../adapters/stores/sql/query/counting.js";
import { ReadPlans } from "../../../../../adapters/stores/sql/query/longReads/readPlans.js";
import { selectRows } from "../../../../../adapters/stores/sql/query/select.js";
import { compileTable } from "../../../../../adapters/stores/sql/schema/table.js";
import type { NewRow } from "../../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { SortKey } from "../../../../../src/ground/storage/query.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import { keysetFilter } from "../../../../../src/language/query/paging/keyset.js";
import { needs } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

const model: CollectionModel = {
  name: "products",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "sku", kind: "text" },
    { name: "email", kind: "text" },
    { name: "team", kind: "text" },
    { name: "branch", kind: "int" },
    { name: "code", kind: "text" },
    { name: "rank", kind: "int" },
    { name: "price", kind: "decimal", digits: { precision: 8, scale: 2 } },
  ],
  unique: [
    { fields: ["sku"] },
    { fields: ["email"], fold: true },
    { fields: ["team", "code"] },
    { fields: ["branch", "code"] },
    { fields: ["price", "code"] },
  ],
  indexes: [[["rank"]]],
  searchable: [["sku"]],
};

const products = Array.from({ length: 6_000 }, (_, index): NewRow & { readonly sku: string | null } => ({
  sku: index % 10 === 9 ? null : index === 7 ? "e\u0301" : `s${index}`,
  email: `U${index}@x.test`,
  team: `t${index % 20}`,
  branch: index % 30,
  code: `c${index}`,
  rank: index % 100,
  price: `${index % 9}.50`,
  _version: `v${index}`,
  _updatedAt: new Date(0),
}));

const is = (name: string, value: Scalar): Filter => ({ op: "eq", path: [name], value });
const oneOf = (name: string, values: readonly Scalar[]): Filter => ({ op: "in", path: [name], values });
const all = (...args: readonly Filter[]): Filter => ({ op: "and", args });
const skus = (count: number) => Array.from({ length: count }, (_, index) => `s${index * 10}`);
const byId: readonly SortKey[] = [{ path: ["id"], dir: "asc" }];
const byRank: readonly SortKey[] = [{ path: ["rank"], dir: "desc" }, ...byId];
const afterRank = (rank: number, id: number): Filter =>
  keysetFilter([
    { path: ["rank"], dir: "desc", value: rank, nullable: true },
    { path: ["id"], dir: "asc", value: id, nullable: false },
  ]);

interface Case {
  readonly name: string;
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  /** The columns of the index, besides the tenant. */
  readonly index: readonly string[];
  readonly rows: number;
}

const cases: readonly Case[] = [
  { name: "one text", filter: is("sku", "s20"), sort: byId, index: ["sku__nfc"], rows: 1 },
  { name: "one text that the schema folds", filter: is("email", "U20@x.test"), sort: byRank, index: ["email__fold"], rows: 1 },
  { name: "no row in another case", filter: is("email", "u20@x.test"), sort: byId, index: ["email__fold"], rows: 0 },
  { name: "one text as it is stored", filter: is("sku", "e\u0301"), sort: byId, index: ["sku__nfc"], rows: 1 },
  { name: "no row in another form", filter: is("sku", "\u00e9"), sort: byId, index: ["sku__nfc"], rows: 0 },
  { name: "few texts, sorted by the id", filter: oneOf("sku", skus(3)), sort: byId, index: ["sku__nfc"], rows: 3 },
  { name: "few texts, sorted by another field", filter: oneOf("sku", skus(3)), sort: byRank, index: ["sku__nfc"], rows: 3 },
  { name: "many texts", filter: oneOf("sku", [...skus(400), 7]), sort: byId, index: ["sku__nfc"], rows: 400 },
  { name: "many texts without an order", filter: oneOf("email", ["U1@x.test", ...skus(400)]), sort: [], index: ["email__fold"], rows: 1 },
  { name: "texts with other conditions", filter: all(oneOf("sku", skus(90)), is("rank", 10)), sort: byId, index: ["sku__nfc"], rows: 9 },
  { name: "a key of two texts", filter: all(is("team", "t3"), is("code", "c23")), sort: byRank, index: ["team__nfc", "code__nfc"], rows: 1 },
  {
    name: "a key of a number and a text",
    filter: all(is("branch", 1), oneOf("code", ["c31", "c61", "c62"])),
    sort: byRank,
    index: ["branch", "code__nfc"],
    rows: 2,
  },
  {
    name: "texts of which another is searched in",
    filter: all(oneOf("sku", skus(3)), { op: "search", text: "s1" }),
    sort: byId,
    index: ["sku__nfc"],
    rows: 1,
  },
  {
    name: "a key with a decimal, which SQLite does not search, by another index",
    filter: all(is("price", "5.50"), is("code", "c23"), is("rank", 23)),
    sort: byRank,
    index: [],
    rows: 1,
  },
  { name: "nothing of another type", filter: is("sku", 5), sort: byId, index: [], rows: 0 },
];

async function explain(executor: SqlExecutor, statement: SqlStatement): Promise<string> {
  const prefix = executor.dialect === "sqlite" ? "explain query plan" : "explain (costs off)";
  const { rows } = await executor.query({ ...statement, text: `${prefix} ${statement.text}`, returns: "many", bigints: false });
  return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n");
}

const engines = [
  {
    name: "SQLite",
    needed: [],
    // Before and after it knows the rows.
    states: ["select 1", "analyze"],
    async open() {
      const executor = sqliteExecutor({ path: ":memory:" });
      return { executor, storage: sqlStorage(executor), end: async () => executor.close?.() };
    },
    found: (index: readonly string[]) => `(_tenant=? AND ${index.map((column) => `${column}=?`).join(" AND ")})`,
  },
  {
    name: "PostgreSQL (set POSTGRES_URL to run)",
    needed: ["postgres"],
    states: ["vacuum analyze products"],
    async open() {
      const schema = ownSchema();
      const connectionString = await schema.create();
      const executor = postgresExecutor({ connectionString });
      const storage = postgresStorage({ connectionString });
      const end = async () => {
        await storage.close?.();
        await executor.close?.();
        await schema.drop();
      };
      return { executor, storage, end };
    },
    found: (index: readonly string[]) => `"products:unique:${index.map((column) => `""${column}""`).join(":")}"`,
  },
] as const;

for (const { name, needed, open, states, found } of engines)
  describe(`a search by the texts of a unique key on ${name}`, needs(...needed), () => {
    let opened: Awaited<ReturnType<typeof open>>;
    const table = compileTable(model, dialects[name === "SQLite" ? "sqlite" : "postgres"]);
    beforeAll(async () => {
      opened = await open();
      await opened.storage.migrate?.([model]);
      for (const start of [0, 2_000, 4_000]) await opened.storage.collection(model).insertMany?.(products.slice(start, start + 2_000), {});
    });
    afterAll(() => opened.end());

    test.each(cases)("finds $name", async ({ filter, sort, index, rows }) => {
      const { executor, storage } = opened;
      for (const text of states) {
        await executor.query({ text, values: [], writes: true, returns: "none" });
        const plan = await explain(executor, selectRows(table, { filter, sort, limit: 1_000 }, "").statement);
        if (index.length > 0) expect(plan).toContain(found(index));
        expect(plan).not.toMatch(/SCAN products|Seq Scan on products/);
        expect(await storage.collection(model).find({ filter, sort, limit: 1_000 }, {})).toHaveLength(rows);
        expect(await storage.collection(model).count?.(filter, {})).toBe(rows);
      }
    });

    test.each([byId, byRank])("pages by a cursor within the rows of a list", async (...sort) => {
      const wanted = oneOf("sku", skus(70));
      const items = opened.storage.collection(model);
      const whole = await items.find({ filter: wanted, sort, limit: 100 }, {});
      const ids: unknown[] = [];
      for (let last = whole.slice(0, 0).at(-1); ids.length <= 100; ) {
        const after = last === undefined ? [] : [sort.length > 1 ? afterRank(Number(last["rank"]), Number(last["id"])) : idAfter(Number(last["id"]))];
        const query = { filter: all(wanted, ...after), sort, limit: 9 };
        expect(await explain(opened.executor, selectRows(table, query, "").statement)).toContain(found(["sku__nfc"]));
        const page = await items.find(query, {});
        if (page.length === 0) break;
        ids.push(...page.map(({ id }) => id));
        last = page.at(-1);
      }
      expect(ids).toHaveLength(70);
      expect(ids).toEqual(whole.map(({ id }) => id));
    });

    test("finds the same rows beside others and without them", async () => {
      const items = opened.storage.collection(model);
      const either: Filter = { op: "or", args: [is("sku", "s20"), is("rank", 3)] };
      const others: Filter = { op: "not", arg: oneOf("sku", ["s20", "s30"]) };
      const orNull: Filter = oneOf("sku", ["s20", null]);
      expect(await items.count?.(either, {})).toBe(61);
      expect(await items.count?.(others, {})).toBe(5_998);
      expect(await items.count?.(orNull, {})).toBe(601);
      expect(await items.count?.(all(is("team", "t3"), is("code", "c24")), {})).toBe(0);
    });
  });

test("SQLite reads the rows of a key in one step, unless it has to look into their texts", async () => {
  const executor = sqliteExecutor({ path: ":memory:" });
  const storage = sqlStorage(executor);
  await storage.migrate?.([model]);
  for (const start of [0, 2_000, 4_000]) await storage.collection(model).insertMany?.(products.slice(start, start + 2_000), {});
  const table = compileTable(model, dialects.sqlite);
  const plans = new ReadPlans(executor, table);
  const isLong = async ({ filter, sort }: Case): Promise<readonly boolean[]> => {
    const query = { filter, sort, limit: 20 };
    return [
      await plans.isLong(selectRows(table, query, "").statement, query, ""),
      await plans.isLongCount(countRows(table, filter, "", { max: 10_001 }), filter, 10_001, ""),
    ];
  };
  for (const each of cases.filter(({ index }) => index.length > 0)) {
    const looks = each.name.includes("searched");
    expect([each.name, ...(await isLong(each))]).toEqual([each.name, looks, looks]);
  }
  await executor.close?.();
});

function idAfter(id: number): Filter {
  return { op: "gt", path: ["id"], value: id };
}
