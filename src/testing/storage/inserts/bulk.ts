import assert from "node:assert/strict";
import type { Filter } from "../../../ground/storage/filter.js";
import { assertSameRow, assertValues, idsOf } from "../assertions.js";
import { uniqueCode } from "../model.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";

const isX: Filter = { op: "eq", path: ["name"], value: "x" };

async function openRows(stage: Stage): Promise<Items> {
  const items = await stage.open(uniqueCode);
  await items.addAll([
    { id: "a", name: "x", quantity: 1, code: "1" },
    { id: "b", name: "y", quantity: 1, code: "2" },
    { id: "c", name: "x", quantity: 1 },
    { id: "d", quantity: 1 },
  ]);
  return items;
}

export const bulkScenarios: readonly Scenario[] = [
  {
    name: "updateMany changes the rows that match, counts them and keeps their other columns",
    async run(stage) {
      const items = await openRows(stage);
      const untouched = await items.rows.get("b", {});
      const stamp = stage.stamp();
      assert.equal(await items.rows.updateMany(isX, { quantity: 5, address: { city: "n" }, ...stamp }, {}), 2);
      assertValues(await items.rows.get("a", {}), { name: "x", quantity: 5, code: "1", address: { city: "n" }, ...items.expected(stamp) });
      assertValues(await items.rows.get("c", {}), { name: "x", quantity: 5, ...items.expected(stamp) });
      assert.ok(untouched !== undefined);
      assertSameRow(await items.rows.get("b", {}), untouched);
    },
  },
  {
    name: "updateMany that changes a filtered column ends and changes each row once",
    async run(stage) {
      const items = await openRows(stage);
      assert.equal(await items.rows.updateMany(isX, { name: null, ...stage.stamp() }, {}), 2);
      assert.equal(await items.rows.updateMany(isX, { name: "z", ...stage.stamp() }, {}), 0);
      assert.equal(await items.rows.count({ op: "has", path: ["name"] }, {}), 1);
    },
  },
  {
    name: "updateMany without a filter changes every row of the tenant only",
    async run(stage) {
      const items = await openRows(stage);
      await items.add({ id: "e", quantity: 1 }, { tenant: "acme" });
      assert.equal(await items.rows.updateMany(undefined, { quantity: 2, ...stage.stamp() }, {}), 4);
      assertValues(await items.rows.get("e", { tenant: "acme" }), { quantity: 1 });
    },
  },
  {
    name: "updateMany with a filter that matches no row returns 0",
    async run(stage) {
      const items = await openRows(stage);
      assert.equal(await items.rows.updateMany({ op: "or", args: [] }, { quantity: 2, ...stage.stamp() }, {}), 0);
      assert.equal(await items.rows.count({ op: "eq", path: ["quantity"], value: 1 }, {}), 4);
    },
  },
  {
    name: "updateMany makes earlier versions of its rows stale",
    needs: { compareAndSet: true },
    async run(stage) {
      const items = await openRows(stage);
      const before = await items.rows.get("a", {});
      await items.rows.updateMany(isX, { quantity: 2, ...stage.stamp() }, {});
      const outcome = await items.rows.update("a", { quantity: 3, ...stage.stamp() }, { ifVersion: before?._version });
      assert.equal(outcome.ok ? "ok" : outcome.why, "stale");
    },
  },
  {
    name: "updateMany that would give two rows one unique key is refused with an error",
    async run(stage) {
      const items = await openRows(stage);
      await assert.rejects(items.rows.updateMany(undefined, { code: "same", ...stage.stamp() }, {}));
      assert.ok((await items.rows.count({ op: "eq", path: ["code"], value: "same" }, {})) < 2);
    },
  },
  {
    name: "removeMany deletes the rows that match and counts them",
    async run(stage) {
      const items = await openRows(stage);
      assert.equal(await items.rows.removeMany(isX, {}), 2);
      assert.deepStrictEqual(idsOf(await items.rows.find({ sort: [], limit: 10 }, {})).sort(), ["b", "d"]);
      assert.equal(await items.rows.removeMany(isX, {}), 0);
    },
  },
  {
    name: "removeMany without a filter deletes every row of the tenant only",
    async run(stage) {
      const items = await openRows(stage);
      await items.add({ id: "e" }, { tenant: "acme" });
      assert.equal(await items.rows.removeMany(undefined, {}), 4);
      assert.equal(await items.rows.count(undefined, { tenant: "acme" }), 1);
    },
  },
  {
    name: "removeMany with a filter that matches no row deletes nothing",
    async run(stage) {
      const items = await openRows(stage);
      assert.equal(await items.rows.removeMany({ op: "in", path: ["id"], values: [] }, {}), 0);
      assert.equal(await items.rows.count(undefined, {}), 4);
    },
  },
  {
    name: "removeMany frees unique keys",
    async run(stage) {
      const items = await openRows(stage);
      await items.rows.removeMany(undefined, {});
      await items.addAll([
        { id: "a", code: "2" },
        { id: "b", code: "1" },
      ]);
    },
  },
];
