import assert from "node:assert/strict";
import type { Call, IterateOptions, Row } from "../../ground/storage/collection.js";
import type { Query } from "../../ground/storage/query.js";
import { assertValues, idsOf } from "./assertions.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage } from "./stage.js";

const byQuantity: Query = { sort: [{ path: ["quantity"], dir: "asc" }], limit: 1_000 };

async function openRows(stage: Stage): Promise<Items> {
  const items = await stage.open();
  const quantities = [5, 2, 9, 0, 7, 1, 8, 3, 6, 4];
  await items.rows.insertMany(
    quantities.map((quantity) => items.row({ id: `r${quantity}`, name: "x", quantity })),
    {},
  );
  return items;
}

async function batchesOf(items: Items, query: Query, call: Call & IterateOptions): Promise<Row[][]> {
  const batches: Row[][] = [];
  for await (const batch of items.rows.iterate(query, call)) batches.push(batch);
  return batches;
}

async function quantitiesOf(items: Items, query: Query, batch: number): Promise<unknown[]> {
  return (await batchesOf(items, query, { batch })).flat().map((row) => row["quantity"]);
}

export const iterateScenarios: readonly Scenario[] = [
  {
    name: "iterate returns every row in order, in batches of at most the given size",
    async run(stage) {
      const items = await openRows(stage);
      const batches = await batchesOf(items, byQuantity, { batch: 3 });
      assert.ok(batches.every((batch) => batch.length > 0 && batch.length <= 3));
      assert.deepStrictEqual(
        batches.flat().map((row) => row["quantity"]),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      );
    },
  },
  {
    name: "iterate without a batch size, and with one that divides the rows",
    async run(stage) {
      const items = await openRows(stage);
      assert.equal((await batchesOf(items, byQuantity, {})).flat().length, 10);
      assert.equal((await batchesOf(items, byQuantity, { batch: 5 })).flat().length, 10);
    },
  },
  {
    name: "limit and offset apply to the whole iteration",
    async run(stage) {
      const items = await openRows(stage);
      assert.deepStrictEqual(await quantitiesOf(items, { ...byQuantity, limit: 5 }, 2), [0, 1, 2, 3, 4]);
      assert.deepStrictEqual(await quantitiesOf(items, { ...byQuantity, offset: 3, limit: 4 }, 3), [3, 4, 5, 6]);
      assert.deepStrictEqual(await quantitiesOf(items, { ...byQuantity, offset: 8 }, 100), [8, 9]);
    },
  },
  {
    name: "iterate applies its filter and its fields",
    async run(stage) {
      const items = await openRows(stage);
      const query: Query = { ...byQuantity, filter: { op: "gt", path: ["quantity"], value: 7 }, fields: [["quantity"]] };
      const rows = (await batchesOf(items, query, { batch: 1 })).flat();
      assert.deepStrictEqual(idsOf(rows), ["r8", "r9"]);
      for (const row of rows) assertValues(row, { name: null });
    },
  },
  {
    name: "iterate over no rows returns no row",
    async run(stage) {
      const items = await stage.open();
      assert.deepStrictEqual((await batchesOf(items, byQuantity, {})).flat(), []);
    },
  },
  {
    name: "an iteration sees a snapshot of the rows at its beginning",
    needs: { snapshot: true },
    async run(stage) {
      const items = await openRows(stage);
      const seen: unknown[] = [];
      for await (const batch of items.rows.iterate(byQuantity, { batch: 2 })) {
        if (seen.length === 0) {
          await items.add({ id: "new", quantity: 10 });
          await items.rows.remove("r6", {});
          await items.rows.update("r9", { quantity: -1, ...stage.stamp() }, {});
        }
        seen.push(...batch.map((row) => row["quantity"]));
      }
      assert.deepStrictEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    },
  },
  {
    name: "an iteration that is left early releases the store",
    async run(stage) {
      const items = await openRows(stage);
      for (let round = 0; round < 30; round++) {
        for await (const batch of items.rows.iterate(byQuantity, { batch: 1 })) if (batch.length > 0) break;
      }
      await items.add({ id: "after" });
      assert.equal(await items.rows.count(undefined, {}), 11);
      await items.rows.removeMany(undefined, {});
    },
  },
  {
    name: "an iteration whose reader throws releases the store",
    async run(stage) {
      const items = await openRows(stage);
      for (let round = 0; round < 30; round++) {
        await assert.rejects(async () => {
          for await (const batch of items.rows.iterate(byQuantity, { batch: 1 })) throw new RangeError(`stop at ${batch.length}`);
        }, RangeError);
      }
      await items.add({ id: "after" });
    },
  },
  {
    name: "two iterations can run concurrently",
    async run(stage) {
      const items = await openRows(stage);
      const [up, down] = await Promise.all([
        quantitiesOf(items, byQuantity, 1),
        quantitiesOf(items, { sort: [{ path: ["quantity"], dir: "desc" }], limit: 1_000 }, 2),
      ]);
      assert.deepStrictEqual(down, up.toReversed());
    },
  },
  {
    name: "rows may be written while an iteration is open",
    async run(stage) {
      const items = await openRows(stage);
      for await (const batch of items.rows.iterate({ ...byQuantity, sort: [{ path: ["id"], dir: "asc" }] }, { batch: 4 })) {
        for (const row of batch) await items.rows.update(String(row["id"]), { name: "seen", ...stage.stamp() }, {});
      }
      assert.equal(await items.rows.count({ op: "eq", path: ["name"], value: "seen" }, {}), 10);
    },
  },
];
