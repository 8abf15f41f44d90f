import assert from "node:assert/strict";
import type { Filter } from "../../../ground/storage/filter.js";
import type { SortKey } from "../../../ground/storage/query.js";
import { idsOf, matchingIds } from "../assertions.js";
import { itemModel } from "../model.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";

const path = ["amount"] as const;

/** In the order of the numbers; rows have them in another. As texts they are in another order, and some are the same number for a double. */
const amounts = [
  "-10000000000.0000",
  "-10.0001",
  "-9.5000",
  "-0.0001",
  "0.0000",
  "0.0001",
  "9.4999",
  "9.5000",
  "10.0000",
  "12345678901.2345",
  "12345678901.2346",
];

async function prepare(stage: Stage): Promise<Items> {
  return stage.prepared("decimals", async () => {
    const column = { name: "amount", kind: "decimal", digits: { precision: 15, scale: 4 } } as const;
    const items = await stage.open({ columns: [...itemModel.columns, column], indexes: [[path]] });
    const rows = amounts.map((amount, index) => ({ id: `r${index}`, amount }));
    await items.addAll([
      ...rows.toSorted((one, other) => one.amount.length - other.amount.length),
      { id: "none", amount: null },
      { id: "null", amount: null },
    ]);
    return items;
  });
}

/** The ids of the rows with these amounts. */
function rowsWith(test: (index: number) => boolean): string[] {
  return amounts.flatMap((_, index) => (test(index) ? [`r${index}`] : []));
}

async function assertFinds({ rows }: Items, filter: Filter, ids: readonly string[]): Promise<void> {
  assert.deepStrictEqual(await matchingIds(rows, filter), [...ids].sort(), JSON.stringify(filter));
  assert.equal(await rows.count(filter, {}), ids.length, JSON.stringify(filter));
}

const compared = {
  gt: (a: number, b: number) => a > b,
  gte: (a: number, b: number) => a >= b,
  lt: (a: number, b: number) => a < b,
  lte: (a: number, b: number) => a <= b,
};
const orders = ["gt", "gte", "lt", "lte"] as const;

export const decimalScenarios: readonly Scenario[] = [
  {
    name: "a decimal comes back with the digits of its scale from insert, get, find and update",
    async run(stage) {
      const items = await prepare(stage);
      for (const [index, amount] of amounts.entries()) {
        const id = `r${index}`;
        const updated = await items.rows.update(id, { amount, ...stage.stamp() }, {});
        assert.equal(updated.ok && updated.row["amount"], amount);
        assert.equal((await items.rows.get(id, {}))?.["amount"], amount);
      }
    },
  },
  {
    name: "decimals are sorted as numbers",
    needs: { sort: true },
    async run(stage) {
      const { rows } = await prepare(stage);
      const by = async (dir: SortKey["dir"]) =>
        idsOf(
          await rows.find(
            {
              sort: [
                { path, dir },
                { path: ["id"], dir: "asc" },
              ],
              limit: 50,
            },
            {},
          ),
        );
      const all = rowsWith(() => true);
      assert.deepStrictEqual(await by("asc"), ["none", "null", ...all]);
      assert.deepStrictEqual(await by("desc"), [...all.toReversed(), "none", "null"]);
    },
  },
  {
    name: "an equal decimal is found, and none that has more digits",
    needs: { ops: ["eq", "ne", "in"] },
    async run(stage) {
      const items = await prepare(stage);
      for (const [index, value] of amounts.entries()) {
        await assertFinds(items, { op: "eq", path, value }, [`r${index}`]);
        await assertFinds(items, { op: "eq", path, value: `${value}00001` }, []);
        await assertFinds(items, { op: "ne", path, value }, [...rowsWith((other) => other !== index), "none", "null"]);
      }
      await assertFinds(items, { op: "in", path, values: [] }, []);
      await assertFinds(items, { op: "in", path, values: ["9.5000", "9.49990001", "77.0000", "0.0000"] }, ["r4", "r7"]);
    },
  },
  {
    name: "decimals are above and below others as numbers, whatever their digits",
    needs: { ops: orders },
    async run(stage) {
      const items = await prepare(stage);
      for (const op of orders) {
        const ids = (at: number) => rowsWith((index) => compared[op](index, at));
        for (const [index, value] of amounts.entries()) await assertFinds(items, { op, path, value, as: "decimal" }, ids(index));
        // Conditions may have fewer digits than the rows, or more.
        await assertFinds(items, { op, path, value: "9.5", as: "decimal" }, ids(7));
        await assertFinds(items, { op, path, value: "9.49990000000000000000000001", as: "decimal" }, ids(6.5));
        await assertFinds(items, { op, path, value: "-9.50000000000000000000000001", as: "decimal" }, ids(1.5));
        await assertFinds(items, { op, path, value: "9".repeat(150), as: "decimal" }, ids(99));
      }
    },
  },
  {
    name: "the rows after a decimal and an id follow a page",
    needs: { sort: true, ops: ["eq", "gt"] },
    async run(stage) {
      const items = await prepare(stage);
      const sort: SortKey[] = [
        { path, dir: "asc" },
        { path: ["id"], dir: "asc" },
      ];
      const seen: string[] = [];
      for (let after: Filter = { op: "has", path }; seen.length <= amounts.length; ) {
        const page = await items.rows.find({ filter: after, sort, limit: 3 }, {});
        seen.push(...idsOf(page).map(String));
        const last = page.at(-1);
        if (last === undefined) break;
        const value = String(last["amount"]);
        const equal: Filter = {
          op: "and",
          args: [
            { op: "eq", path, value },
            { op: "gt", path: ["id"], value: String(last["id"]) },
          ],
        };
        after = { op: "or", args: [{ op: "gt", path, value, as: "decimal" }, equal] };
      }
      assert.deepStrictEqual(
        seen,
        rowsWith(() => true),
      );
    },
  },
];
