import assert from "node:assert/strict";
import { assertConflict, assertValues, idsOf, writtenRow } from "./assertions.js";
import { uniqueCode } from "./model.js";
import type { Needs, Scenario } from "./scenario.js";
import type { Items } from "./stage.js";

const needs: Needs = { transactions: true };

async function ids(items: Items): Promise<unknown[]> {
  return idsOf(await items.rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 100 }, {}));
}

export const savepointScenarios: readonly Scenario[] = [
  {
    name: "a nested transaction commits with the outer one",
    needs,
    async run(stage) {
      const items = await stage.open();
      await stage.transaction(async (tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        await stage.transaction(async (inner) => {
          assertValues(await items.in(inner).get("a", {}), { id: "a" });
          await items.in(inner).insert(items.row({ id: "b" }), {});
        }, tx);
        assertValues(await items.in(tx).get("b", {}), { id: "b" });
      });
      assert.deepStrictEqual(await ids(items), ["a", "b"]);
    },
  },
  {
    name: "a nested transaction that throws undoes its own writes only",
    needs,
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.add({ id: "z", name: "before" });
      await stage.transaction(async (tx) => {
        writtenRow(await items.in(tx).insert(items.row({ id: "a", code: "1" }), {}));
        const inner = stage.transaction(async (nested) => {
          await items.in(nested).insert(items.row({ id: "b", code: "2" }), {});
          await items.in(nested).update("a", { code: "3", ...stage.stamp() }, {});
          await items.in(nested).remove("z", {});
          throw new RangeError("inner");
        }, tx);
        await assert.rejects(inner, RangeError);
        assertConflict(await items.in(tx).insert(items.row({ id: "c", code: "1" }), {}), ["code"]);
        writtenRow(await items.in(tx).insert(items.row({ id: "d", code: "2" }), {}));
      });
      assert.deepStrictEqual(await ids(items), ["a", "d", "z"]);
      assertValues(await items.rows.get("a", {}), { code: "1" });
    },
  },
  {
    name: "an outer transaction that throws undoes a nested one that succeeded",
    needs,
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const outer = stage.transaction(async (tx) => {
        await stage.transaction(async (inner) => items.in(inner).insert(items.row({ id: "a", code: "1" }), {}), tx);
        throw new RangeError("outer");
      });
      await assert.rejects(outer, RangeError);
      assert.deepStrictEqual(await ids(items), []);
      await items.add({ id: "b", code: "1" });
    },
  },
  {
    name: "transactions nest three deep",
    needs,
    async run(stage) {
      const items = await stage.open();
      await stage.transaction(async (one) => {
        await items.in(one).insert(items.row({ id: "a", quantity: 1 }), {});
        await stage.transaction(async (two) => {
          await items.in(two).update("a", { quantity: 2, ...stage.stamp() }, {});
          const three = stage.transaction(async (innermost) => {
            await items.in(innermost).remove("a", {});
            await items.in(innermost).insert(items.row({ id: "a", quantity: 3 }), {});
            throw new RangeError("innermost");
          }, two);
          await assert.rejects(three, RangeError);
        }, one);
        await stage.transaction(async (two) => items.in(two).insert(items.row({ id: "b" }), {}), one);
      });
      assert.deepStrictEqual(await ids(items), ["a", "b"]);
      assertValues(await items.rows.get("a", {}), { quantity: 2 });
    },
  },
];
