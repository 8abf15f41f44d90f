import assert from "node:assert/strict";
import { assertSameRow, assertValues, idsOf } from "./assertions.js";
import { withId } from "./model.js";
import type { Scenario } from "./scenario.js";

export const readScenarios: readonly Scenario[] = [
  {
    name: "get returns undefined for an unknown id",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a" });
      assert.equal(await items.rows.get("b", {}), undefined);
      assert.equal(await items.rows.get("", {}), undefined);
    },
  },
  {
    name: "get does not fold, trim or match wildcards",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "abc" });
      for (const id of ["ABC", "abc ", "a%", "a_c", "*"]) assert.equal(await items.rows.get(id, {}), undefined, id);
    },
  },
  {
    name: "get does not see a removed row",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a" });
      await items.rows.remove("a", {});
      assert.equal(await items.rows.get("a", {}), undefined);
    },
  },
  {
    name: "getMany returns the rows that exist and omits the others",
    async run(stage) {
      const items = await stage.open();
      await items.addAll([{ id: "a" }, { id: "b" }, { id: "c" }]);
      const rows = await items.rows.getMany(["c", "missing", "a"], {});
      assert.deepStrictEqual(idsOf(rows).sort(), ["a", "c"]);
    },
  },
  {
    name: "getMany of no ids returns no rows",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a" });
      assert.deepStrictEqual(await items.rows.getMany([], {}), []);
    },
  },
  {
    name: "getMany accepts 2,000 ids",
    async run(stage) {
      const items = await stage.open(withId("int", "caller"));
      await items.addAll([{ id: 1 }, { id: 1_999 }]);
      const rows = await items.rows.getMany(
        Array.from({ length: 2_000 }, (_, index) => index),
        {},
      );
      assert.deepStrictEqual(idsOf(rows).sort(), [1, 1_999]);
    },
  },
  {
    name: "get, getMany and find return the same row",
    async run(stage) {
      const items = await stage.open();
      const row = await items.add({
        id: "a",
        name: "n",
        quantity: 1,
        serial: 2n,
        active: true,
        at: new Date(5),
        address: { city: "x" },
        tags: ["t"],
      });
      assertSameRow(await items.rows.get("a", {}), row);
      assertSameRow((await items.rows.getMany(["a"], {}))[0], row);
      assertSameRow((await items.rows.find({ sort: [], limit: 1 }, {}))[0], row);
    },
  },
  {
    name: "a column named like an inherited member of objects is an ordinary column",
    async run(stage) {
      const items = await stage.open({
        columns: [
          { name: "id", kind: "text" },
          { name: "toString", kind: "text" },
          { name: "order", kind: "int" },
        ],
      });
      await items.addAll([
        { id: "a", order: 1, toString: "text" },
        { id: "b", order: 2 },
      ]);
      assertValues(await items.rows.get("a", {}), { toString: "text", order: 1 });
      const rows = await items.rows.find({ filter: { op: "has", path: ["toString"] }, sort: [{ path: ["order"], dir: "asc" }], limit: 5 }, {});
      assert.deepStrictEqual(idsOf(rows), ["a"]);
    },
  },
];
