import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { assertConflict, assertStale, assertValues, idsOf, writtenRow } from "./assertions.js";
import { uniqueCode } from "./model.js";
import type { Needs, Scenario } from "./scenario.js";
import type { Stage } from "./stage.js";

const needs: Needs = { transactions: true };

/** Makes a transaction fail on purpose. */
class Rollback extends Error {}

async function rolledBack(stage: Stage, run: Parameters<Stage["transaction"]>[0]): Promise<void> {
  const rollback = new Rollback("on purpose");
  const transaction = stage.transaction(async (tx) => {
    await run(tx);
    throw rollback;
  });
  await assert.rejects(transaction, (error) => error === rollback);
}

export const transactionScenarios: readonly Scenario[] = [
  {
    name: "a transaction returns the result of its function and commits its writes",
    needs,
    async run(stage) {
      const items = await stage.open();
      await items.addAll([{ id: "b", name: "before" }, { id: "c" }]);
      const answer = await stage.transaction(async (tx) => {
        const rows = items.in(tx);
        writtenRow(await rows.insert(items.row({ id: "a" }), {}));
        writtenRow(await rows.update("b", { name: "after", ...stage.stamp() }, {}));
        writtenRow(await rows.remove("c", {}));
        return "answer";
      });
      assert.equal(answer, "answer");
      assert.deepStrictEqual(idsOf(await items.rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 9 }, {})), ["a", "b"]);
      assertValues(await items.rows.get("b", {}), { name: "after" });
    },
  },
  {
    name: "a transaction that throws writes nothing and rethrows the error",
    needs,
    async run(stage) {
      const items = await stage.open();
      await items.addAll([{ id: "b", name: "before" }, { id: "c" }]);
      await rolledBack(stage, async (tx) => {
        const rows = items.in(tx);
        await rows.insert(items.row({ id: "a" }), {});
        await rows.insertMany([items.row({ id: "d" }), items.row({ id: "e" })], {});
        await rows.update("b", { name: "after", ...stage.stamp() }, {});
        await rows.remove("c", {});
        await rows.updateMany(undefined, { quantity: 1, ...stage.stamp() }, {});
      });
      assert.deepStrictEqual(idsOf(await items.rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 9 }, {})), ["b", "c"]);
      assertValues(await items.rows.get("b", {}), { name: "before", quantity: null });
    },
  },
  {
    name: "a transaction that throws frees its unique keys and operations",
    needs,
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.add({ id: "a", code: "1" });
      await rolledBack(stage, async (tx) => {
        const rows = items.in(tx);
        await rows.update("a", { code: "moved", ...stage.stamp() }, {});
        await rows.insert(items.row({ id: "b", code: "2" }), { operationId: "op" });
      });
      assertConflict(await items.rows.insert(items.row({ id: "c", code: "1" }), {}), ["code"]);
      await items.addAll([
        { id: "d", code: "moved" },
        { id: "e", code: "2" },
      ]);
      const outcome = await items.rows.insert(items.row({ id: "f" }), { operationId: "op" });
      assert.notEqual(outcome.ok && outcome.created, false);
    },
  },
  {
    name: "a transaction reads its own writes",
    needs,
    async run(stage) {
      const items = await stage.open({ unique: [{ fields: ["code"] }], indexes: [[["name"]]] });
      await items.addAll([
        { id: "a", name: "x", code: "1" },
        { id: "b", name: "x" },
        { id: "c", name: "x" },
      ]);
      await stage.transaction(async (tx) => {
        const rows = items.in(tx);
        await rows.update("a", { name: "y", code: "2", ...stage.stamp() }, {});
        await rows.remove("b", {});
        await rows.insert(items.row({ id: "d", name: "x" }), {});
        assert.equal(await rows.get("b", {}), undefined);
        assertValues(await rows.get("a", {}), { name: "y" });
        const found = await rows.find({ filter: { op: "eq", path: ["name"], value: "x" }, sort: [{ path: ["id"], dir: "desc" }], limit: 9 }, {});
        assert.deepStrictEqual(idsOf(found), ["d", "c"]);
        assert.equal(await rows.count(undefined, {}), 3);
        assertConflict(await rows.insert(items.row({ id: "e", code: "2" }), {}), ["code"]);
        writtenRow(await rows.insert(items.row({ id: "e", code: "1" }), {}));
      });
      assert.equal(await items.rows.count(undefined, {}), 4);
    },
  },
  {
    name: "uncommitted rows are not visible outside of the transaction",
    needs,
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", name: "before" });
      let outside: Promise<readonly unknown[]> = Promise.resolve([]);
      await rolledBack(stage, async (tx) => {
        const rows = items.in(tx);
        await rows.update("a", { name: "uncommitted", ...stage.stamp() }, {});
        await rows.insert(items.row({ id: "b" }), {});
        outside = Promise.all([items.rows.get("a", {}), items.rows.get("b", {}), items.rows.count(undefined, {})]);
        for (let turn = 0; turn < 20; turn++) await rows.get("a", {});
      });
      const [a, b, count] = await outside;
      assert.deepStrictEqual([(a as { readonly name: string }).name, b, count], ["before", undefined, 1]);
    },
  },
  {
    name: "an outside write does not become part of an open transaction",
    needs,
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "mine" });
      let outside: Promise<unknown> = Promise.resolve();
      await rolledBack(stage, async (tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        outside = items.rows.insert(items.row({ id: "b" }), {});
        for (let turn = 0; turn < 20; turn++) await items.in(tx).get("mine", {});
      });
      await outside;
      assert.deepStrictEqual(idsOf(await items.rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 9 }, {})), ["b", "mine"]);
    },
  },
  {
    name: "a conflict inside a transaction leaves it usable",
    needs,
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.addAll([
        { id: "a", code: "1" },
        { id: "b", code: "2" },
      ]);
      await stage.transaction(async (tx) => {
        const rows = items.in(tx);
        assertConflict(await rows.insert(items.row({ id: "c", code: "1" }), {}), ["code"]);
        assertConflict(await rows.update("b", { code: "1", ...stage.stamp() }, {}), ["code"]);
        assertConflict((await rows.insertMany([items.row({ id: "a" })], {}))[0], ["id"]);
        writtenRow(await rows.insert(items.row({ id: "c", code: "3" }), {}));
      });
      assertValues(await items.rows.get("c", {}), { code: "3" });
      assertValues(await items.rows.get("b", {}), { code: "2" });
    },
  },
  {
    name: "compare-and-set decides inside a transaction as well",
    needs: { transactions: true, compareAndSet: true },
    async run(stage) {
      const items = await stage.open();
      const { _version: ifVersion } = await items.add({ id: "a" });
      await stage.transaction(async (tx) => {
        const rows = items.in(tx);
        const { _version } = writtenRow(await rows.update("a", { quantity: 1, ...stage.stamp() }, { ifVersion }));
        assertStale(await rows.update("a", { quantity: 2, ...stage.stamp() }, { ifVersion }), _version);
        assertStale(await rows.remove("a", { ifVersion }), _version);
      });
      assertValues(await items.rows.get("a", {}), { quantity: 1 });
    },
  },
  {
    name: "an operation is remembered inside its transaction and after it",
    needs,
    async run(stage) {
      const items = await stage.open();
      await stage.transaction(async (tx) => {
        const rows = items.in(tx);
        await rows.insert(items.row({ id: "a" }), { operationId: "op" });
        const repeat = await rows.insert(items.row({ id: "b" }), { operationId: "op" });
        assert.ok(repeat.ok && repeat.created === false);
      });
      const repeat = await items.rows.insert(items.row({ id: "c" }), { operationId: "op" });
      assert.equal(repeat.ok && repeat.row["id"], "a");
    },
  },
  {
    name: "two rows swap their unique keys in one transaction",
    needs,
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.addAll([
        { id: "a", code: "1" },
        { id: "b", code: "2" },
      ]);
      await stage.transaction(async (tx) => {
        for (const [id, code] of [
          ["a", null],
          ["b", "1"],
          ["a", "2"],
        ] as const) {
          writtenRow(await items.in(tx).update(id, { code, ...stage.stamp() }, {}));
        }
      });
      assertConflict(await items.rows.insert(items.row({ id: "c", code: "1" }), {}), ["code"]);
      assertConflict(await items.rows.insert(items.row({ id: "c", code: "2" }), {}), ["code"]);
    },
  },
  {
    name: "find with a lock returns the same rows",
    needs,
    async run(stage) {
      const items = await stage.open();
      await items.addAll([{ id: "a" }, { id: "b" }, { id: "c" }]);
      const ids = await stage.transaction(async (tx) =>
        idsOf(await items.in(tx).find({ sort: [{ path: ["id"], dir: "desc" }], limit: 2, lock: "update" }, {})),
      );
      assert.deepStrictEqual(ids, ["c", "b"]);
    },
  },
  {
    name: "the storage of an ended transaction cannot write",
    needs,
    async run(stage) {
      const items = await stage.open();
      const ended = await stage.transaction(async (tx) => tx);
      await assert.rejects(async () => items.in(ended).insert(items.row({ id: "a" }), {}));
      assert.equal(await items.rows.count(undefined, {}), 0);
    },
  },
  {
    name: "transactions that start together all commit",
    needs,
    async run(stage) {
      const items = await stage.open();
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          stage.transaction(async (tx) => {
            await items.in(tx).insert(items.row({ id: `a${index}` }), {});
            await items.in(tx).insert(items.row({ id: `b${index}` }), {});
          }),
        ),
      );
      assert.equal(await items.rows.count(undefined, {}), 40);
    },
  },
  {
    name: "a transaction runs in the async context of its caller, also if it waits for others",
    needs,
    async run(stage) {
      const context = new AsyncLocalStorage<number>();
      const seen = (index: number) =>
        context.run(index, () => stage.transaction(async () => context.getStore(), stage.storage, { isBrief: index % 2 === 0 }));
      const numbers = [...Array(10).keys()];
      assert.deepStrictEqual(await Promise.all(numbers.map(seen)), numbers);
    },
  },
  {
    name: "brief transactions that start together keep or lose all of their own writes",
    needs,
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const write = (index: number) =>
        stage.transaction(
          async (tx) => {
            const outcome = await items.in(tx).insert(items.row({ id: `a${index}`, code: String(index % 15) }), {});
            await items.in(tx).insert(items.row({ id: `b${index}` }), {});
            if (index % 3 === 0) throw new Rollback("on purpose");
            return outcome.ok;
          },
          stage.storage,
          { isBrief: true },
        );
      const ended = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => write(index)));
      const numbers = [...ended.keys()];
      assert.deepStrictEqual(
        numbers.filter((index) => ended[index]?.status === "rejected"),
        numbers.filter((index) => index % 3 === 0),
      );
      const inserted = ended.filter((one) => one.status === "fulfilled" && one.value);
      assert.equal(inserted.length, 10);
      const ids = idsOf(await items.rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 99 }, {}));
      const wanted = numbers.filter((index) => index % 3 !== 0);
      assert.deepStrictEqual(
        ids.filter((id) => String(id).startsWith("b")),
        wanted.map((index) => `b${index}`).sort(),
      );
      assert.equal(ids.filter((id) => String(id).startsWith("a")).length, 10);
    },
  },
];
