import assert from "node:assert/strict";
import type { SortKey } from "../../storage/query.js";
import { idsOf } from "./assertions.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage, Values } from "./stage.js";

const byId: SortKey = { path: ["id"], dir: "asc" };

/** Rows in ascending order of the column, ids ascending as well; the first two hold nothing. */
const ascending: Readonly<Record<string, readonly unknown[]>> = {
  name: ["", " ", "Z", "a", "a!", "aa", "e\u0301", "\u00e9", "\uffee", "\u{1f600}"],
  quantity: [-10, -9, 0, 9, 10],
  price: [-1e308, -0.5, 5e-324, 2, 10, 1e308],
  serial: [-(2n ** 63n), 9n, 10n, 9_007_199_254_740_992n, 9_007_199_254_740_993n],
  active: [false, true],
  at: [new Date("1900-01-01T00:00:00Z"), new Date(-1), new Date(0), new Date("2026-01-01T00:00:00Z")],
};

async function openAscending(stage: Stage, column: string, values: readonly unknown[]): Promise<{ items: Items; ids: string[] }> {
  const items = await stage.open();
  const rows: Values[] = [
    { id: "0" },
    { id: "1", [column]: null },
    ...values.map((value, index) => ({ id: `r${String(index).padStart(2, "0")}`, [column]: value })),
  ];
  await items.addAll(rows.toReversed());
  return { items, ids: rows.map((row) => String(row["id"])) };
}

const columnScenarios = Object.entries(ascending).map(
  ([column, values]): Scenario => ({
    name: `sort by ${column}, nulls lowest in both directions`,
    needs: { sort: true },
    async run(stage) {
      const { items, ids } = await openAscending(stage, column, values);
      const up = await items.rows.find({ sort: [{ path: [column], dir: "asc" }, byId], limit: 100 }, {});
      assert.deepStrictEqual(idsOf(up), ids);
      const down = await items.rows.find(
        {
          sort: [
            { path: [column], dir: "desc" },
            { path: ["id"], dir: "desc" },
          ],
          limit: 100,
        },
        {},
      );
      assert.deepStrictEqual(idsOf(down), ids.toReversed());
    },
  }),
);

export const sortScenarios: readonly Scenario[] = [
  ...columnScenarios,
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
    name: "sort by the instant of the last write",
    needs: { sort: true },
    async run(stage) {
      const items = await stage.open();
      await items.addAll([{ id: "a" }, { id: "b" }, { id: "c" }]);
      await items.rows.update("a", stage.stamp(), {});
      assert.deepStrictEqual(idsOf(await items.rows.find({ sort: [{ path: ["_updatedAt"], dir: "desc" }], limit: 2 }, {})), ["a", "c"]);
    },
  },
];
