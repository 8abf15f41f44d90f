import assert from "node:assert/strict";
import { assertConflict, assertSameRow, assertValues, writtenRow } from "./assertions.js";
import { itemModel, uniqueCode, withId } from "./model.js";
import type { Needs, Scenario } from "./scenario.js";

const needs: Needs = { reopen: true };

export const migrateScenarios: readonly Scenario[] = [
  {
    name: "the store has a name, answers a ping and accepts the write of a probe",
    async run({ storage }) {
      assert.notEqual(storage.name, "");
      await storage.ping?.();
      await Promise.all([storage.probe?.(), storage.probe?.()]);
    },
  },
  {
    name: "a second migrate keeps the rows",
    async run(stage) {
      const items = await stage.open({ unique: [{ fields: ["code"] }], indexes: [[["name"]]] });
      const row = await items.add({ id: "a", name: "x", code: "1" });
      await stage.storage.migrate?.([items.model]);
      assertSameRow(await items.rows.get("a", {}), row);
      assertConflict(await items.rows.insert(items.row({ id: "b", code: "1" }), {}), ["code"]);
    },
  },
  {
    name: "ten concurrent migrations are safe",
    async run(stage) {
      const models = [stage.model(uniqueCode), stage.model({ indexes: [[["name"]], [["address", "city"]]] }), stage.model(withId("int", "store"))];
      await Promise.all(Array.from({ length: 10 }, async () => stage.storage.migrate?.(models)));
      for (const model of models) await stage.items(model).add(model.idFrom === "store" ? { name: "x" } : { id: "a", name: "x" });
    },
  },
  {
    name: "a new column is empty in existing rows and accepts values",
    async run(stage) {
      const columns = itemModel.columns.filter((column) => column.name !== "quantity");
      const before = await stage.open({ columns });
      await before.add({ id: "a", name: "x" });
      const model = { ...before.model, columns: itemModel.columns };
      await stage.storage.migrate?.([model]);
      const after = stage.items(model);
      assertValues(await after.rows.get("a", {}), { name: "x", quantity: null });
      assertValues(writtenRow(await after.rows.update("a", { quantity: 1, ...stage.stamp() }, {})), { name: "x", quantity: 1 });
    },
  },
  {
    name: "two handles of one collection see the same rows",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a", name: "x" });
      assertValues(await stage.storage.collection(items.model).get("a", {}), { name: "x" });
    },
  },
  {
    name: "rows, keys, operations and assigned ids survive a restart",
    needs,
    async run(stage) {
      const { reopening } = stage;
      assert.ok(reopening !== undefined);
      const first = await reopening.open();
      const items = await stage.open({ ...withId("int", "store"), unique: [{ fields: ["email"], fold: true }] }, first);
      const row = await items.add({ email: "Ada@x.org", serial: 2n ** 62n, at: new Date(-1), tags: ["x"] });
      await items.rows.insert(items.row({ name: "second" }), { operationId: "op" });
      await items.rows.remove(2, {});
      await items.rows.insert(items.row({ name: "third" }), { operationId: "op3" });
      const second = await reopening.reopen(first);
      await second.migrate?.([items.model]);
      const rows = items.in(second);
      assertSameRow(await rows.get(1, {}), row);
      assertConflict(await rows.insert(items.row({ email: "ADA@x.org" }), {}), ["email"]);
      const repeat = await rows.insert(items.row({ name: "again" }), { operationId: "op3" });
      assert.deepStrictEqual([repeat.ok && repeat.created, repeat.ok && repeat.row["name"]], [false, "third"]);
      const next = writtenRow(await rows.insert(items.row({ name: "next" }), {}));
      assert.ok(Number(next["id"]) > 3, "a number was given again");
      await second.close?.();
    },
  },
];
