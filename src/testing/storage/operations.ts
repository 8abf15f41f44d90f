import assert from "node:assert/strict";
import { assertConflict, assertSameRow, writtenRow } from "./assertions.js";
import { uniqueCode, withId } from "./model.js";
import type { Scenario } from "./scenario.js";

export const operationScenarios: readonly Scenario[] = [
  {
    name: "a repeated operation returns the row of the first one",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const first = writtenRow(await items.rows.insert(items.row({ name: "first" }), { operationId: "op" }));
      const repeat = await items.rows.insert(items.row({ name: "second" }), { operationId: "op" });
      assert.ok(repeat.ok && repeat.created === false);
      assertSameRow(repeat.row, first);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "a repeated operation does not conflict on its id or unique key",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      const values = { id: "a", code: "1" };
      await items.rows.insert(items.row(values), { operationId: "op" });
      const repeat = await items.rows.insert(items.row(values), { operationId: "op" });
      assert.ok(repeat.ok && repeat.created === false);
    },
  },
  {
    name: "different operations insert different rows",
    async run(stage) {
      const items = await stage.open(withId("int", "store"));
      const outcomes = [];
      for (const operationId of ["op", "OP", "op ", "op2"]) outcomes.push(await items.rows.insert(items.row({ name: operationId }), { operationId }));
      assert.deepStrictEqual(
        outcomes.map((outcome) => writtenRow(outcome)["name"]),
        ["op", "OP", "op ", "op2"],
      );
    },
  },
  {
    name: "another operation with a taken key is a conflict",
    async run(stage) {
      const items = await stage.open(uniqueCode);
      await items.rows.insert(items.row({ id: "a", code: "1" }), { operationId: "one" });
      assertConflict(await items.rows.insert(items.row({ id: "b", code: "1" }), { operationId: "two" }), ["code"]);
      assertConflict(await items.rows.insert(items.row({ id: "a", code: "2" }), { operationId: "three" }), ["id"]);
    },
  },
  {
    name: "a refused operation can be repeated",
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a" });
      assertConflict(await items.rows.insert(items.row({ id: "a" }), { operationId: "op" }), ["id"]);
      const outcome = await items.rows.insert(items.row({ id: "b" }), { operationId: "op" });
      assert.notEqual(outcome.ok && outcome.created, false);
      assert.equal(writtenRow(outcome)["id"], "b");
    },
  },
  {
    name: "a repeated operation finds its row after an update",
    async run(stage) {
      const items = await stage.open();
      await items.rows.insert(items.row({ id: "a", name: "before" }), { operationId: "op" });
      const updated = writtenRow(await items.rows.update("a", { name: "after", ...stage.stamp() }, { replace: true }));
      const repeat = await items.rows.insert(items.row({ id: "b" }), { operationId: "op" });
      assert.ok(repeat.ok && repeat.created === false);
      assertSameRow(repeat.row, updated);
    },
  },
  {
    name: "an operation never returns a row of another tenant",
    async run(stage) {
      const items = await stage.open();
      await items.rows.insert(items.row({ id: "a", name: "secret" }), { operationId: "op", tenant: "acme" });
      const outcome = await items.rows.insert(items.row({ id: "b", name: "mine" }), { operationId: "op", tenant: "globex" });
      assert.equal(writtenRow(outcome)["name"], "mine");
      assert.equal(writtenRow(await items.rows.insert(items.row({ id: "c", name: "nobody's" }), { operationId: "op" }))["name"], "nobody's");
    },
  },
  {
    name: "operations of two collections are independent",
    async run(stage) {
      const [one, two] = [await stage.open(), await stage.open()];
      await one.rows.insert(one.row({ id: "a" }), { operationId: "op" });
      assert.equal(writtenRow(await two.rows.insert(two.row({ id: "b" }), { operationId: "op" }))["id"], "b");
    },
  },
];
