import assert from "node:assert/strict";
import type { Call, GroupQuery, Row } from "../../ground/storage/collection.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import { assertValues, idsOf } from "./assertions.js";
import { withId } from "./model.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage } from "./stage.js";

/** Group `x` has 300 rows with low ids, `y` four rows, one of them among the ids of `x`, and `z` one row; two rows belong to no group. */
async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("groups", async () => {
    const items = await stage.open({ indexes: [[["code"]]] });
    const many = Array.from({ length: 300 }, (_, index) => ({ id: `a${String(index).padStart(3, "0")}`, code: "x", quantity: index }));
    const few = [4, 2, 1, 3].map((number) => ({
      id: number === 1 ? "a000y" : `b${number}`,
      code: "y",
      quantity: number,
      name: `n${number}`,
      address: { city: "c" },
    }));
    const others = [{ id: "c1", code: "z", quantity: 1 }, { id: "c2", code: null }, { id: "c3" }];
    await items.rows.insertMany([...many, ...few, ...others].toReversed().map(items.row), { returning: "none" });
    return items;
  });
}

/** The ids of each group, in the order of the result. */
async function groupsOf(items: Items, query: Partial<GroupQuery>, call: Call = {}): Promise<Record<string, unknown[]>> {
  const key = query.key ?? "code";
  const found = await items.rows.findGroups({ key, keys: ["x", "y", "z"], limit: 2, ...query }, call);
  const groups: Record<string, Row[]> = {};
  for (const row of found) {
    const name = String(row[key]);
    groups[name] = [...(groups[name] ?? []), row];
  }
  return Object.fromEntries(Object.entries(groups).map(([name, rows]) => [name, idsOf(rows)]));
}

const numbered: readonly (readonly [label: string, column: string, keys: readonly Id[], groups: Readonly<Record<string, readonly string[]>>])[] = [
  ["an int", "quantity", [1, 3], { "1": ["a", "b"], "3": ["c"] }],
  ["a number", "price", [0.5, 2, 3], { "0.5": ["a", "b"], "2": ["c"] }],
  ["a bigint", "serial", [9_007_199_254_740_993n, 1n], { "9007199254740993": ["a", "b"], "1": ["c"] }],
  ["an int, by keys that are bigints", "quantity", [1n, 3n], { "1": ["a", "b"], "3": ["c"] }],
  ["JSON", "address", ["x", 1], { x: ["a", "b"], "1": ["c"] }],
  ["text, by keys that are numbers", "code", [1, 2n], {}],
  ["an int, by keys that are text or no int64", "quantity", ["1", 1.5, 2n ** 70n], {}],
];

export const groupScenarios: readonly Scenario[] = [
  {
    name: "a group of 300 rows does not shorten the others, and each starts at its lowest ids",
    async run(stage) {
      assert.deepStrictEqual(await groupsOf(await prepare(stage), {}), { x: ["a000", "a001"], y: ["a000y", "b2"], z: ["c1"] });
    },
  },
  {
    name: "a group below the limit is returned completely",
    async run(stage) {
      const groups = await groupsOf(await prepare(stage), { limit: 250 });
      assert.deepStrictEqual([groups["x"]?.length, groups["y"], groups["z"]], [250, ["a000y", "b2", "b3", "b4"], ["c1"]]);
    },
  },
  {
    name: "a limit that is as large as all groups together",
    async run(stage) {
      const groups = await groupsOf(await prepare(stage), { limit: 1_000, keys: ["x", "y"] });
      assert.deepStrictEqual([groups["x"]?.length, groups["y"]?.length], [300, 4]);
    },
  },
  {
    name: "a repeated key returns its rows once",
    async run(stage) {
      assert.deepStrictEqual(await groupsOf(await prepare(stage), { keys: ["z", "y", "z", "y"] }), { y: ["a000y", "b2"], z: ["c1"] });
    },
  },
  {
    name: "unknown keys return nothing, and rows without a key are not returned",
    async run(stage) {
      const items = await prepare(stage);
      assert.deepStrictEqual(await groupsOf(items, { keys: ["w", "y", "Y", "", "null", "y "] }), { y: ["a000y", "b2"] });
      assert.deepStrictEqual(await groupsOf(items, { keys: ["w"] }), {});
    },
  },
  {
    name: "no keys or a limit of 0 return nothing",
    async run(stage) {
      const items = await prepare(stage);
      assert.deepStrictEqual(await groupsOf(items, { keys: [] }), {});
      assert.deepStrictEqual(await groupsOf(items, { limit: 0 }), {});
    },
  },
  {
    name: "2,000 keys are accepted",
    async run(stage) {
      const keys = Array.from({ length: 2_000 }, (_, index) => `key ${index}`);
      assert.deepStrictEqual(await groupsOf(await prepare(stage), { keys: ["z", ...keys, "y"] }), { y: ["a000y", "b2"], z: ["c1"] });
    },
  },
  {
    name: "a text key is never read as SQL or a pattern",
    async run(stage) {
      assert.deepStrictEqual(await groupsOf(await prepare(stage), { keys: ["y' or '1'='1", "%", "_", '"', "\\", "$1", "?"] }), {});
    },
  },
  {
    name: "the limit counts the rows that match the filter",
    async run(stage) {
      const items = await prepare(stage);
      const filter = { op: "gte", path: ["quantity"], value: 2 } as const;
      assert.deepStrictEqual(await groupsOf(items, { filter }), { x: ["a002", "a003"], y: ["b2", "b3"] });
    },
  },
  {
    name: "an or filter cannot bypass the keys, and an empty one matches no row",
    async run(stage) {
      const items = await prepare(stage);
      const args = [
        { op: "eq", path: ["quantity"], value: 1 },
        { op: "has", path: ["id"] },
      ] as const;
      assert.deepStrictEqual(await groupsOf(items, { keys: ["y"], filter: { op: "or", args } }), { y: ["a000y", "b2"] });
      assert.deepStrictEqual(await groupsOf(items, { filter: { op: "or", args: [] } }), {});
    },
  },
  {
    name: "fields returns only the named columns, the id, the key and the reserved members",
    async run(stage) {
      const items = await prepare(stage);
      const [row] = await items.rows.findGroups({ key: "code", keys: ["y"], limit: 1, fields: [["name"]] }, {});
      assertValues(row, { id: "a000y", name: "n1", code: "y", quantity: null, address: null });
      assert.equal(typeof row?._version, "string");
      assert.ok(row?._updatedAt instanceof Date);
      const [bare] = await items.rows.findGroups({ key: "code", keys: ["y"], limit: 1, fields: [] }, {});
      assertValues(bare, { id: "a000y", name: null, code: "y", quantity: null, address: null });
    },
  },
  {
    name: "without fields complete rows are returned",
    async run(stage) {
      const items = await prepare(stage);
      const [row] = await items.rows.findGroups({ key: "code", keys: ["y"], limit: 1 }, {});
      assertValues(row, { id: "a000y", name: "n1", code: "y", quantity: 1, address: { city: "c" } });
    },
  },
  {
    name: "the id itself may be the key",
    async run(stage) {
      assert.deepStrictEqual(await groupsOf(await prepare(stage), { key: "id", keys: ["b2", "c9", "a000"] }), { a000: ["a000"], b2: ["b2"] });
    },
  },
  ...numbered.map(
    ([label, column, keys, groups]): Scenario => ({
      name: `groups by ${label}`,
      async run(stage) {
        const items = await stage.open({ indexes: column === "address" ? [] : [[[column]]] });
        const values = Object.keys(groups).length === 0 ? ["quantity", 1, 1, 3] : [column, keys[0], keys[0], keys[1]];
        const [name, ...all] = values as [string, Id, Id, Id];
        const kept = (value: Id) => (name === "quantity" ? Number(value) : value);
        await items.addAll(all.map((value, index) => ({ id: "abc"[index], [name]: kept(value) })));
        assert.deepStrictEqual(await groupsOf(items, { key: column, keys }), groups);
      },
    }),
  ),
  {
    name: "numeric ids are ordered by value",
    async run(stage) {
      const items = await stage.open(withId("int", "caller"));
      await items.addAll([10, 9, 100, 1].map((id) => ({ id, code: "x" })));
      assert.deepStrictEqual(await groupsOf(items, { limit: 3 }), { x: [1, 9, 10] });
    },
  },
  {
    name: "the groups of a tenant only have its rows",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", code: "x" }, { tenant: "acme" });
      await items.add({ id: "b", code: "x" }, { tenant: "globex" });
      await items.add({ id: "c", code: "x" });
      assert.deepStrictEqual(await groupsOf(items, {}, { tenant: "acme" }), { x: ["a"] });
      assert.deepStrictEqual(await groupsOf(items, {}), { x: ["c"] });
    },
  },
  {
    name: "groups in a transaction include its writes",
    needs: { transactions: true },
    async run(stage) {
      const items = await stage.open({ indexes: [[["code"]]] });
      await items.addAll([
        { id: "a", code: "x" },
        { id: "b", code: "x" },
        { id: "c", code: "y" },
      ]);
      await stage.transaction(async (tx) => {
        const rows = items.in(tx);
        await rows.update("a", { code: "y", ...stage.stamp() }, {});
        await rows.remove("c", {});
        await rows.insert(items.row({ id: "d", code: "x" }), {});
        const found = await rows.findGroups({ key: "code", keys: ["x", "y"], limit: 5 }, {});
        const pairs = found.map((row) => `${row["code"]}${row["id"]}`);
        assert.deepStrictEqual(pairs.toSorted(), ["xb", "xd", "ya"]);
      });
    },
  },
  {
    name: "a column named like the row id of the engine is an ordinary key",
    async run(stage) {
      const names = ["rowid", "_rowid_", "oid", "key", "item"];
      const columns = [{ name: "id", kind: "text" }, ...names.map((name) => ({ name, kind: "text" }) as const)] as const;
      const items = await stage.open({ columns, searchable: [] });
      await items.add({ id: "a", rowid: "r", _rowid_: "r", oid: "r", key: "r", item: "r" });
      for (const key of names) assert.deepStrictEqual(await groupsOf(items, { key, keys: ["r"] }), { r: ["a"] });
    },
  },
];
