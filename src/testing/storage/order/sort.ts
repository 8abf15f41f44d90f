import assert from "node:assert/strict";
import type { SortKey } from "../../../ground/storage/query.js";
import { idsOf } from "../assertions.js";
import type { Scenario } from "../scenario.js";

export const sortScenarios: readonly Scenario[] = [
  {
    name: "sort by two keys in different directions",
    needs: { sort: true },
    async run(stage) {
      const items = await stage.open();
      const rows = [
        ["a", "x", 1],
        ["b", "y", null],
        ["c", "x", 2],
        ["d", null, 5],
        ["e", "x", null],
        ["f", "y", 3],
      ] as const;
      await items.addAll(rows.map(([id, name, quantity]) => ({ id, name, quantity })));
      const sort: SortKey[] = [
        { path: ["name"], dir: "desc" },
        { path: ["quantity"], dir: "asc" },
      ];
      assert.deepStrictEqual(idsOf(await items.rows.find({ sort, limit: 10 }, {})), ["b", "f", "e", "a", "c", "d"]);
    },
  },
  {
    name: "sort by nested text and by a nested number",
    needs: { sort: true },
    async run(stage) {
      const items = await stage.open();
      await items.addAll([
        { id: "a", address: { city: "b", floor: 10 } },
        { id: "b", address: { city: "B", floor: 9 } },
        { id: "c", address: { city: "\u{1f600}", floor: -1 } },
        { id: "d", address: { city: "\uffee", floor: 1e6 } },
        { id: "e", address: {} },
      ]);
      const by = async (path: SortKey["path"], dir: SortKey["dir"]) => idsOf(await items.rows.find({ sort: [{ path, dir }], limit: 10 }, {}));
      assert.deepStrictEqual(await by(["address", "city"], "asc"), ["e", "b", "a", "d", "c"]);
      assert.deepStrictEqual(await by(["address", "floor"], "asc"), ["e", "c", "b", "a", "d"]);
      assert.deepStrictEqual(await by(["address", "floor"], "desc"), ["d", "a", "b", "c", "e"]);
    },
  },
  {
    name: "sort by the time of the last write",
    needs: { sort: true },
    async run(stage) {
      const items = await stage.open();
      await items.addAll([{ id: "a" }, { id: "b" }, { id: "c" }]);
      await items.rows.update("a", stage.stamp(), {});
      assert.deepStrictEqual(idsOf(await items.rows.find({ sort: [{ path: ["_updatedAt"], dir: "desc" }], limit: 2 }, {})), ["a", "c"]);
    },
  },
];
