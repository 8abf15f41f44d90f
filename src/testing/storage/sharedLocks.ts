import assert from "node:assert/strict";
import type { Collection } from "../../ground/storage/collection.js";
import { idsOf, writtenRow } from "./assertions.js";
import type { Needs, Scenario } from "./scenario.js";

const needs: Needs = { transactions: true, sharedLocks: true };

/** Finds a row with a shared lock, as the service does for foreign keys. */
function findLocked(rows: Required<Collection>, values: readonly string[]) {
  const path = ["id"] as const;
  return rows.find({ filter: { op: "in", path, values }, sort: [{ path, dir: "asc" }], fields: [path], limit: values.length, lock: "share" }, {});
}

export const sharedLockScenarios: readonly Scenario[] = [
  {
    name: "a row under a shared lock is not removed before the transaction ends",
    needs,
    async run(stage) {
      const items = await stage.open();
      await items.addAll([{ id: "a" }, { id: "b" }]);
      let removed: Promise<unknown> = Promise.resolve();
      let isRemoved = false;
      await stage.transaction(async (tx) => {
        assert.deepStrictEqual(idsOf(await findLocked(items.in(tx), ["a", "b", "c"])), ["a", "b"]);
        removed = items.rows.remove("a", {}).then((outcome) => {
          isRemoved = true;
          return writtenRow(outcome);
        });
        for (let turn = 0; turn < 20; turn++) await items.in(tx).get("b", {});
        assert.equal(isRemoved, false);
        writtenRow(await items.in(tx).insert(items.row({ id: "c", name: "a" }), {}));
      });
      await removed;
      assert.deepStrictEqual(idsOf(await items.rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 9 }, {})), ["b", "c"]);
    },
  },
  {
    name: "a row that another transaction removes is not found under a shared lock",
    needs,
    async run(stage) {
      const items = await stage.open();
      await items.addAll([{ id: "a" }, { id: "b" }]);
      let found: Promise<unknown> = Promise.resolve();
      await stage.transaction(async (tx) => {
        writtenRow(await items.in(tx).remove("a", {}));
        found = stage.transaction(async (other) => idsOf(await findLocked(items.in(other), ["a", "b"])));
        for (let turn = 0; turn < 20; turn++) await items.in(tx).get("b", {});
      });
      assert.deepStrictEqual(await found, ["b"]);
    },
  },
  {
    name: "a row under a shared lock is updated and removed by its own transaction",
    needs,
    async run(stage) {
      const items = await stage.open();
      await items.add({ id: "a" });
      await stage.transaction(async (tx) => {
        const rows = items.in(tx);
        assert.deepStrictEqual(idsOf(await findLocked(rows, ["a"])), ["a"]);
        writtenRow(await rows.update("a", { name: "changed", ...stage.stamp() }, {}));
        writtenRow(await rows.remove("a", {}));
        assert.deepStrictEqual(idsOf(await findLocked(rows, ["a"])), []);
      });
      assert.equal(await items.rows.count(undefined, {}), 0);
    },
  },
];
