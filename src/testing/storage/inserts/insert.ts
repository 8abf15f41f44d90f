import assert from "node:assert/strict";
import { assertConflict, assertSameRow, assertValues, assertWritten, idsOf, writtenRow } from "../assertions.js";
import { withId } from "../model.js";
import type { Scenario } from "../scenario.js";

export const insertScenarios: readonly Scenario[] = [
  {
    name: "insert returns the stored row",
    async run(stage) {
      const items = await stage.open();
      const row = items.row({ id: "a", name: "Ada", quantity: 3 });
      const outcome = await items.rows.insert(row, {});
      assertWritten(items, writtenRow(outcome), row);
      assert.notEqual(outcome.ok && outcome.created, false, "created");
      assertWritten(items, await items.rows.get("a", {}), row);
    },
  },
  {
    name: "a row has only its columns and the two reserved members",
    async run(stage) {
      const items = await stage.open({ unique: [{ fields: ["email"], fold: true }] });
      await items.rows.insert(items.row({ id: "a", email: "ada@example.com" }), { tenant: "acme", operationId: "first" });
      const allowed = new Set([...items.model.columns.map((column) => column.name), "_version", "_updatedAt"]);
      const found = await items.rows.find({ sort: [], limit: 1 }, { tenant: "acme" });
      for (const row of [await items.rows.get("a", { tenant: "acme" }), ...found]) {
        const extra = Object.keys(row ?? {}).filter((name) => !allowed.has(name));
        assert.deepStrictEqual(extra, [], "undeclared members");
      }
    },
  },
  {
    name: "a later change of the inserted object does not change the stored row",
    async run(stage) {
      const items = await stage.open();
      const row: Record<string, unknown> & ReturnType<typeof stage.stamp> = { ...stage.stamp(), id: "a", name: "before" };
      await items.rows.insert(row, {});
      row["name"] = "after";
      assertValues(await items.rows.get("a", {}), { name: "before" });
    },
  },
  {
    name: "the store assigns ids to rows without one: 1, 2, 3",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const ids = [await items.add({ name: "a" }), await items.add({ name: "b" }), await items.add({ name: "c" })].map((row) => row["id"]);
      assert.deepStrictEqual(ids, [1, 2, 3]);
    },
  },
  {
    name: "the store assigns bigint ids to a bigint column",
    async run(stage) {
      const items = await stage.open(withId("bigint", "store"));
      assert.equal((await items.add({ name: "a" }))["id"], 1n);
      assertValues(await items.rows.get(1n, {}), { name: "a" });
    },
  },
  {
    name: "an assigned id is not reused after its row is removed",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      await items.addAll([{ name: "a" }, { name: "b" }]);
      await items.rows.remove(2, {});
      assert.equal((await items.add({ name: "c" }))["id"], 3);
      for (const id of [1, 3]) await items.rows.remove(id, {});
      assert.equal((await items.add({ name: "d" }))["id"], 4);
    },
  },
  {
    name: "an id that a row brings along is never assigned to another",
    needs: { ownTable: true },
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      await items.add({ id: 3, name: "own number" });
      await items.addAll([{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }]);
      const ids = idsOf(await items.rows.find({ sort: [], limit: 10 }, {}));
      assert.equal(new Set(ids).size, 5);
    },
  },
  {
    name: "concurrent inserts get distinct ids",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const rows = await Promise.all(Array.from({ length: 30 }, (_, index) => items.add({ name: `n${index}` })));
      assert.equal(new Set(idsOf(rows)).size, 30);
    },
  },
  {
    name: "a text id is stored unchanged, whatever its characters",
    async run(stage) {
      const items = await stage.open();
      for (const id of ["a/b?c#d", "Ümlaut", "😀", "'; drop table items; --", " space ", "%_\\", "a".repeat(200)]) {
        await items.add({ id, name: id });
        assertValues(await items.rows.get(id, {}), { id, name: id });
      }
    },
  },
  {
    name: "text ids differ by case",
    async run(stage) {
      const items = await stage.open();
      await items.addAll([
        { id: "A", name: "upper" },
        { id: "a", name: "lower" },
      ]);
      assertValues(await items.rows.get("a", {}), { name: "lower" });
      assertValues(await items.rows.get("A", {}), { name: "upper" });
    },
  },
  {
    name: "an int id of the caller is stored unchanged",
    async run(stage) {
      const items = await stage.open(withId("int", "caller"));
      for (const id of [0, -7, 42, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
        await items.add({ id, name: `n${id}` });
        assertValues(await items.rows.get(id, {}), { id, name: `n${id}` });
      }
    },
  },
  {
    name: "a bigint id of the caller is stored without rounding",
    async run(stage) {
      const items = await stage.open(withId("bigint", "caller"));
      await items.addAll([
        { id: 9_007_199_254_740_993n, name: "odd" },
        { id: 9_007_199_254_740_992n, name: "even" },
      ]);
      assertValues(await items.rows.get(9_007_199_254_740_993n, {}), { id: 9_007_199_254_740_993n, name: "odd" });
    },
  },
  {
    name: "an id that is taken is a conflict of the id field and changes nothing",
    async run(stage) {
      const items = await stage.open();
      const first = await items.add({ id: "a", name: "first" });
      assertConflict(await items.rows.insert(items.row({ id: "a", name: "second" }), {}), ["id"]);
      assertSameRow(await items.rows.get("a", {}), first);
    },
  },
  {
    name: "the conflict of an id names the id field of the model",
    async run(stage) {
      const items = await stage.open({ id: "code" });
      await items.add({ code: "x", name: "first" });
      assertConflict(await items.rows.insert(items.row({ code: "x" }), {}), ["code"]);
      assertValues(await items.rows.get("x", {}), { name: "first" });
    },
  },
  {
    name: "an id is free again after its row is removed",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", name: "first" });
      await items.rows.remove("a", {});
      await items.add({ id: "a", name: "second" });
      assertValues(await items.rows.get("a", {}), { name: "second" });
    },
  },
  {
    name: "a call whose signal is already aborted writes nothing",
    async run(stage) {
      const items = await stage.open();
      await assert.rejects(items.rows.insert(items.row({ id: "a" }), { signal: AbortSignal.abort() }));
      assert.equal(await items.rows.get("a", {}), undefined);
    },
  },
];
