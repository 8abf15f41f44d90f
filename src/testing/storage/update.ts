import assert from "node:assert/strict";
import { assertMissing, assertSameRow, assertStale, assertValues, assertWritten, writtenRow } from "./assertions.js";
import type { Scenario } from "./scenario.js";

const full = { id: "a", name: "Ada", quantity: 1, active: true, at: new Date(7), address: { city: "Paris", floor: 3 }, tags: ["x"] };

export const updateScenarios: readonly Scenario[] = [
  {
    name: "a patch sets what it names and keeps the other columns",
    async run(stage) {
      const items = await stage.open();
      await items.add(full);
      const stamp = stage.stamp();
      const row = writtenRow(await items.rows.update("a", { name: "Grace", ...stamp }, {}));
      assertWritten(items, row, { ...full, name: "Grace", ...stamp });
      assertSameRow(await items.rows.get("a", {}), row);
    },
  },
  {
    name: "a null in a patch clears its column",
    async run(stage) {
      const items = await stage.open();
      await items.add(full);
      await items.rows.update("a", { name: null, quantity: null, active: null, at: null, address: null, ...stage.stamp() }, {});
      assertValues(await items.rows.get("a", {}), { id: "a", name: null, quantity: null, active: null, at: null, address: null, tags: ["x"] });
    },
  },
  {
    name: "a JSON value in a patch replaces the whole column",
    async run(stage) {
      const items = await stage.open();
      await items.add(full);
      await items.rows.update("a", { address: { city: "Rome" }, tags: [], ...stage.stamp() }, {});
      assertValues(await items.rows.get("a", {}), { address: { city: "Rome" }, tags: [] });
    },
  },
  {
    name: "a patch with only the version and update time changes only those",
    async run(stage) {
      const items = await stage.open();
      await items.add(full);
      const stamp = stage.stamp();
      assertWritten(items, writtenRow(await items.rows.update("a", stamp, {})), { ...full, ...stamp });
    },
  },
  {
    name: "replace clears every column that is not named",
    async run(stage) {
      const items = await stage.open();
      await items.add(full);
      const row = writtenRow(await items.rows.update("a", { quantity: 2, ...stage.stamp() }, { replace: true }));
      assertValues(row, { id: "a", quantity: 2, name: null, active: null, at: null, address: null, tags: null });
      assertSameRow(await items.rows.get("a", {}), row);
    },
  },
  {
    name: "an update of a missing row is missing, with a version or without",
    async run(stage) {
      const items = await stage.open();
      assertMissing(await items.rows.update("a", stage.stamp(), {}));
      assertMissing(await items.rows.update("a", stage.stamp(), { ifVersion: "v1", replace: true }));
      assert.equal(await items.rows.count(undefined, {}), 0);
    },
  },
  {
    name: "an update with the current version succeeds once",
    needs: { compareAndSet: true },
    async run(stage) {
      const items = await stage.open();
      const { _version: ifVersion } = await items.add(full);
      const second = writtenRow(await items.rows.update("a", { quantity: 2, ...stage.stamp() }, { ifVersion }));
      assertStale(await items.rows.update("a", { quantity: 3, ...stage.stamp() }, { ifVersion }), second._version);
      assertSameRow(await items.rows.get("a", {}), second);
    },
  },
  {
    name: "a replacement with an old version is stale and changes nothing",
    needs: { compareAndSet: true },
    async run(stage) {
      const items = await stage.open();
      const before = await items.add(full);
      assertStale(await items.rows.update("a", stage.stamp(), { ifVersion: "other", replace: true }), before._version);
      assertSameRow(await items.rows.get("a", {}), before);
    },
  },
  {
    name: "an update without a version is unconditional",
    async run(stage) {
      const items = await stage.open();
      await items.add(full);
      for (const quantity of [2, 3]) writtenRow(await items.rows.update("a", { quantity, ...stage.stamp() }, {}));
      assertValues(await items.rows.get("a", {}), { quantity: 3 });
    },
  },
  {
    name: "an update leaves the other rows alone",
    async run(stage) {
      const items = await stage.open();
      const other = await items.add({ ...full, id: "b" });
      await items.add(full);
      await items.rows.update("a", { name: "changed", ...stage.stamp() }, {});
      assertSameRow(await items.rows.get("b", {}), other);
    },
  },
  {
    name: "remove returns the row and deletes it",
    async run(stage) {
      const items = await stage.open();
      const row = await items.add(full);
      await items.add({ id: "b" });
      assertSameRow(writtenRow(await items.rows.remove("a", {})), row);
      assert.equal(await items.rows.get("a", {}), undefined);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "remove of a missing row is missing, and so is the second remove",
    async run(stage) {
      const items = await stage.open();
      assertMissing(await items.rows.remove("a", { ifVersion: "v1" }));
      await items.add(full);
      await items.rows.remove("a", {});
      assertMissing(await items.rows.remove("a", {}));
    },
  },
  {
    name: "remove with an old version is stale, with the current one it succeeds",
    needs: { compareAndSet: true },
    async run(stage) {
      const items = await stage.open();
      const { _version } = await items.add(full);
      assertStale(await items.rows.remove("a", { ifVersion: "old" }), _version);
      writtenRow(await items.rows.remove("a", { ifVersion: _version }));
    },
  },
  {
    name: "a row inserted again under an old id has no values of the first one",
    async run(stage) {
      const items = await stage.open();
      await items.add(full);
      await items.rows.remove("a", {});
      const second = await items.add({ id: "a", quantity: 9 });
      assertValues(second, { name: null, quantity: 9 });
      assertValues(await items.rows.get("a", {}), { name: null, quantity: 9 });
    },
  },
  {
    name: "a version of a removed row is stale for the row that is inserted again under its id",
    needs: { ownTable: true },
    async run(stage) {
      const items = await stage.open();
      const first = await items.add(full);
      await items.rows.remove("a", {});
      const second = await items.add({ id: "a", quantity: 9 });
      assertStale(await items.rows.update("a", stage.stamp(), { ifVersion: first._version }), second._version);
    },
  },
];
