import assert from "node:assert/strict";
import type { UploadChanges } from "../../ground/storage/files/uploads.js";
import type { UploadScenario } from "./scenario.js";
import { conflict, stored } from "./stage.js";

export const updateScenarios: readonly UploadScenario[] = [
  {
    name: "an update changes only the given members and adds 1 to the version",
    async run(stage) {
      const each: readonly UploadChanges[] = [
        { isOpen: false },
        { bytes: Number.MAX_SAFE_INTEGER },
        { bytes: 0 },
        { dueAt: new Date(1_700_000_000_456) },
        { data: ["new", { nested: [1] }] },
        { data: null },
        {},
        { isOpen: true, bytes: 5, dueAt: new Date(-1), data: "all" },
      ];
      let record = await stage.create({ dueAt: new Date(1) });
      for (const changes of each) {
        const changed = stored(await stage.store.update(record.id, record.version, changes));
        assert.deepStrictEqual(changed, { ...record, ...changes, version: record.version + 1 });
        await stage.assertKept(changed, { open: Number(changed.isOpen), bytes: changed.bytes });
        record = changed;
      }
    },
  },
  {
    name: "an update to undefined clears a member, and an absent member stays",
    async run(stage) {
      const { id } = await stage.create({ dueAt: new Date(1), data: "data" });
      const withoutInstant = stored(await stage.store.update(id, 1, { dueAt: undefined }));
      assert.deepStrictEqual([withoutInstant.dueAt, withoutInstant.data], [undefined, "data"]);
      const withoutData = stored(await stage.store.update(id, 2, { dueAt: new Date(2), data: undefined }));
      assert.deepStrictEqual([withoutData.dueAt, withoutData.data], [new Date(2), undefined]);
      await stage.assertKept(withoutData, { open: 1, bytes: 100 });
    },
  },
  {
    name: "an update with an old or future version is a conflict and changes nothing",
    async run(stage) {
      const { id } = await stage.create();
      const current = stored(await stage.store.update(id, 1, { data: "second" }));
      for (const version of [0, 1, 3, -1]) {
        for (const changes of [{ data: "late" }, { bytes: 1, isOpen: false }]) {
          assert.deepStrictEqual(await stage.store.update(id, version, changes), conflict);
        }
      }
      await stage.assertKept(current, { open: 1, bytes: 100 });
    },
  },
  {
    name: "an update with an old version is a conflict, even if the limits would refuse it",
    async run(stage) {
      const { id } = await stage.create();
      const current = stored(await stage.store.update(id, 1, {}));
      assert.deepStrictEqual(await stage.store.update(id, 1, { bytes: 1_000 }, { maxBytes: 1 }), conflict);
      await stage.assertKept(current, { open: 1, bytes: 100 });
    },
  },
  {
    name: "an update of an unknown record is a conflict",
    async run(stage) {
      for (const changes of [{ data: 1 }, { bytes: 1 }]) assert.deepStrictEqual(await stage.store.update(stage.name(), 1, changes), conflict);
      const { id } = await stage.create();
      assert.equal(await stage.store.remove(id, 1), true);
      for (const changes of [{ data: 1 }, { bytes: 1 }]) assert.deepStrictEqual(await stage.store.update(id, 1, changes), conflict);
      assert.equal(await stage.store.get(id), undefined);
    },
  },
];
