import assert from "node:assert/strict";
import type { Storage } from "../../ground/storage/storage.js";
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
  {
    name: "nested transactions that begin together run one after the other",
    needs,
    async run(stage) {
      const items = await stage.open();
      await stage.transaction(async (tx) => {
        const kept = stage.transaction(async (inner) => {
          await items.in(inner).insert(items.row({ id: "a" }), {});
          await read(items, inner);
        }, tx);
        const undone = stage.transaction(async (inner) => {
          await items.in(inner).insert(items.row({ id: "b" }), {});
          throw new RangeError("inner");
        }, tx);
        const last = stage.transaction(async (inner) => items.in(inner).insert(items.row({ id: "c" }), {}), tx);
        const ended = await Promise.allSettled([kept, undone, last]);
        assert.deepStrictEqual(
          ended.map(({ status }) => status),
          ["fulfilled", "rejected", "fulfilled"],
        );
      });
      assert.deepStrictEqual(await ids(items), ["a", "c"]);
    },
  },
  {
    name: "a write of the outer transaction is no part of a nested one that runs",
    needs,
    async run(stage) {
      const items = await stage.open();
      await stage.transaction(async (tx) => {
        const inner = stage.transaction(async (nested) => {
          await items.in(nested).insert(items.row({ id: "a" }), {});
          await read(items, nested);
          throw new RangeError("inner");
        }, tx);
        const ended = await Promise.allSettled([inner, items.in(tx).insert(items.row({ id: "b" }), {})]);
        assert.deepStrictEqual(
          ended.map(({ status }) => status),
          ["rejected", "fulfilled"],
        );
      });
      assert.deepStrictEqual(await ids(items), ["b"]);
    },
  },
  ...(["resolves", "throws"] as const).map(
    (ending): Scenario => ({
      name: `a nested transaction that ${ending} after the end of the outer one touches no other transaction`,
      needs,
      async run(stage) {
        const items = await stage.open();
        const [written, late] = [signal(), signal()];
        let inner: Promise<unknown> = Promise.resolve();
        const outer = stage.transaction(async (tx) => {
          inner = stage.transaction(async (nested) => {
            await items.in(nested).insert(items.row({ id: "a" }), {});
            written.give();
            await late.given;
            await assert.rejects(items.in(nested).insert(items.row({ id: "b" }), {}), /has ended/);
            if (ending === "throws") throw new RangeError("late");
          }, tx);
          inner.catch(() => {});
          await written.given;
          throw new RangeError("outer");
        });
        await assert.rejects(outer, RangeError);
        await stage.transaction(async (tx) => {
          await stage.transaction(async (nested) => {
            await items.in(nested).insert(items.row({ id: "c" }), {});
            late.give();
            await assert.rejects(inner, ending === "throws" ? RangeError : /has ended/);
            await items.in(nested).insert(items.row({ id: "d" }), {});
          }, tx);
          await items.in(tx).insert(items.row({ id: "e" }), {});
        });
        assert.deepStrictEqual(await ids(items), ["c", "d", "e"]);
      },
    }),
  ),
  {
    name: "a transaction whose function ends before a nested one fails, and writes nothing",
    needs,
    async run(stage) {
      const items = await stage.open();
      const [written, late] = [signal(), signal()];
      let inner: Promise<unknown> = Promise.resolve();
      const outer = stage.transaction(async (tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        inner = stage.transaction(async (nested) => {
          await items.in(nested).insert(items.row({ id: "b" }), {});
          written.give();
          await late.given;
        }, tx);
        inner.catch(() => {});
        await written.given;
      });
      await assert.rejects(outer, /nested transaction has not ended/);
      late.give();
      await assert.rejects(inner, /has ended/);
      assert.deepStrictEqual(await ids(items), []);
    },
  },
];

/** Reads for a while, as a function that takes its time. */
async function read(items: Items, tx: Storage): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await items.in(tx).get("a", {});
}

/** A promise that the test resolves. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}
