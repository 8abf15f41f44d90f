import assert from "node:assert/strict";
import type { Row, TotalQuery } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { Query, SortKey } from "../../../ground/storage/query.js";
import { assertValues, idsOf } from "../assertions.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";

const byId: SortKey = { path: ["id"], dir: "asc" };
const names = ["b", null, "a", "c", null, "b", "a", "\u{1f600}", "b", null, ""];

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("page", async () => {
    const items = await stage.open();
    const rows = names.map((name, index) => ({
      id: `r${String(index).padStart(2, "0")}`,
      name,
      quantity: index,
      address: { city: "x", floor: 1 },
      tags: ["t"],
    }));
    await items.addAll(rows);
    return items;
  });
}

export const pageScenarios: readonly Scenario[] = [
  {
    name: "limit and offset select a page of the ordered rows",
    async run(stage) {
      const { rows } = await prepare(stage);
      const page = async (limit: number, offset?: number) => idsOf(await rows.find({ sort: [byId], limit, offset }, {}));
      assert.deepStrictEqual(await page(2), ["r00", "r01"]);
      assert.deepStrictEqual(await page(2, 0), ["r00", "r01"]);
      assert.deepStrictEqual(await page(3, 4), ["r04", "r05", "r06"]);
      assert.deepStrictEqual(await page(100, 9), ["r09", "r10"]);
      assert.deepStrictEqual(await page(2, 11), []);
    },
  },
  {
    name: "limit and offset count the rows that match the filter",
    async run(stage) {
      const { rows } = await prepare(stage);
      const filter: Filter = { op: "eq", path: ["name"], value: "b" };
      assert.deepStrictEqual(idsOf(await rows.find({ filter, sort: [byId], limit: 1, offset: 1 }, {})), ["r05"]);
    },
  },
  {
    name: "findAndCount finds the page that find finds, and a total, if any, of all rows that match its own filter",
    async run(stage) {
      const { rows } = await prepare(stage);
      const named: Filter = { op: "has", path: ["name"] };
      const later: Filter = { op: "and", args: [named, { op: "gt", path: ["id"], value: "r03" }] };
      const cases: readonly { readonly query: Query; readonly total: TotalQuery; readonly counted: number }[] = [
        { query: { sort: [byId], limit: 3 }, total: { max: 100 }, counted: 11 },
        { query: { sort: [byId], limit: 3, offset: 4, fields: [["name"]] }, total: { max: 5 }, counted: 5 },
        { query: { filter: later, sort: [byId], limit: 2 }, total: { filter: named, max: 100 }, counted: 8 },
        { query: { filter: later, sort: [{ path: ["name"], dir: "desc" }, byId], limit: 20 }, total: { filter: later, max: 100 }, counted: 5 },
        { query: { filter: named, sort: [byId], limit: 5, offset: 50 }, total: { filter: named, max: 100 }, counted: 8 },
        { query: { filter: { op: "or", args: [] }, sort: [byId], limit: 5 }, total: { max: 100 }, counted: 11 },
      ];
      for (const { query, total, counted } of cases) {
        const found = await rows.findAndCount(query, total, {});
        assert.deepStrictEqual(found.rows, await rows.find(query, {}));
        assert.ok(found.total === undefined || found.total === counted, `${found.total} rows were counted, not ${counted}`);
      }
      assert.deepStrictEqual((await rows.findAndCount({ sort: [byId], limit: 3 }, { max: 100 }, { tenant: "another" })).rows, []);
    },
  },
  {
    name: "a limit without a sort returns that many rows",
    async run(stage) {
      const { rows } = await prepare(stage);
      assert.equal(new Set(idsOf(await rows.find({ sort: [], limit: 4 }, {}))).size, 4);
      assert.equal(new Set(idsOf(await rows.find({ sort: [], limit: 4, offset: 9 }, {}))).size, 2);
    },
  },
  {
    name: "a limit of 0 returns no row",
    async run(stage) {
      const { rows } = await prepare(stage);
      assert.deepStrictEqual(await rows.find({ sort: [byId], limit: 0 }, {}), []);
    },
  },
  {
    name: "a sorted page of 600 rows is in order",
    async run(stage) {
      const items = await stage.open();
      const shuffled = Array.from({ length: 700 }, (_, index) => (index * 337) % 700);
      await items.rows.insertMany(
        shuffled.map((quantity) => items.row({ id: `r${quantity}`, quantity })),
        { returning: "none" },
      );
      const found = await items.rows.find({ sort: [{ path: ["quantity"], dir: "desc" }], limit: 600, offset: 50 }, {});
      assert.deepStrictEqual(
        found.map((row) => row["quantity"]),
        Array.from({ length: 600 }, (_, index) => 649 - index),
      );
    },
  },
  {
    name: "fields returns only the named columns, the id and the reserved members",
    async run(stage) {
      const { rows } = await prepare(stage);
      const [row] = await rows.find({ sort: [byId], fields: [["name"], ["quantity"]], limit: 1 }, {});
      assertValues(row, { id: "r00", name: "b", quantity: 0, address: null, tags: null });
      assert.equal(typeof row?._version, "string");
      assert.ok(row?._updatedAt instanceof Date);
    },
  },
  {
    name: "empty fields return the id and the reserved members",
    async run(stage) {
      const { rows } = await prepare(stage);
      const [row] = await rows.find({ sort: [byId], fields: [], limit: 1 }, {});
      assertValues(row, { id: "r00", name: null, quantity: null, address: null, tags: null });
      assert.equal(typeof row?._version, "string");
    },
  },
  {
    name: "rows that need no versions are those of the same query with versions",
    async run(stage) {
      const { rows } = await prepare(stage);
      const query = { sort: [byId], limit: 3 };
      const values = (found: readonly Row[]) => found.map((row) => [row["id"], row["name"], row["quantity"], row["address"], row._updatedAt]);
      const tagged = await rows.find(query, {});
      assert.deepStrictEqual(values(await rows.find({ ...query, versions: false }, {})), values(tagged));
      assert.ok(tagged.every(({ _version }) => typeof _version === "string" && _version !== ""));
    },
  },
  {
    name: "a nested path in fields returns at least that part of its column",
    async run(stage) {
      const { rows } = await prepare(stage);
      const [row] = await rows.find({ sort: [byId], fields: [["address", "city"]], limit: 1 }, {});
      const address = row?.["address"] as { readonly city?: unknown } | undefined;
      assert.equal(address?.city, "x");
      assertValues(row, { id: "r00", name: null, tags: null });
    },
  },
  {
    name: "a column can be sorted and filtered without being in the fields",
    async run(stage) {
      const { rows } = await prepare(stage);
      const filter: Filter = { op: "gt", path: ["quantity"], value: 3 };
      const found = await rows.find({ filter, sort: [{ path: ["quantity"], dir: "desc" }], fields: [["name"]], limit: 2 }, {});
      assert.deepStrictEqual(idsOf(found), ["r10", "r09"]);
    },
  },
  {
    name: "count stops at its maximum",
    async run(stage) {
      const { rows } = await prepare(stage);
      const filter: Filter = { op: "eq", path: ["name"], value: "b" };
      assert.equal(await rows.count(undefined, {}), 11);
      assert.equal(await rows.count(undefined, { max: 5 }), 5);
      assert.equal(await rows.count(undefined, { max: 100 }), 11);
      assert.equal(await rows.count(filter, { max: 2 }), 2);
      assert.equal(await rows.count(filter, { max: 4 }), 3);
    },
  },
];
