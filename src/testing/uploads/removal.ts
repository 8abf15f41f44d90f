import assert from "node:assert/strict";
import type { UploadScenario } from "./scenario.js";
import { nothing, stored } from "./stage.js";

export const removalScenarios: readonly UploadScenario[] = [
  {
    name: "a removed record is gone, also from the sums of its account",
    async run(stage) {
      const first = await stage.create({ bytes: 70 });
      const { tenant, account } = first;
      const second = await stage.create({ tenant, account, bytes: 30, isOpen: false });
      assert.equal(await stage.store.remove(first.id, 1), true);
      assert.equal(await stage.store.get(first.id), undefined);
      await stage.assertKept(second, { open: 0, bytes: 30 });
      assert.equal(await stage.store.remove(second.id, 1), true);
      assert.deepStrictEqual(await stage.use(second), nothing);
    },
  },
  {
    name: "a removal subtracts the current bytes of the record, not its first ones",
    async run(stage) {
      const { id, ...record } = await stage.create({ bytes: 1_000 });
      await stage.create({ tenant: record.tenant, account: record.account, bytes: 1 });
      stored(await stage.store.update(id, 1, { bytes: 300, isOpen: false }));
      assert.equal(await stage.store.remove(id, 2), true);
      assert.deepStrictEqual(await stage.use(record), { open: 1, bytes: 1 });
    },
  },
  {
    name: "a removal with an old version removes nothing",
    async run(stage) {
      const { id } = await stage.create();
      const current = stored(await stage.store.update(id, 1, { data: "second" }));
      for (const version of [0, 1, 3]) assert.equal(await stage.store.remove(id, version), false);
      await stage.assertKept(current, { open: 1, bytes: 100 });
    },
  },
  {
    name: "a second removal does nothing, and the id is free",
    async run(stage) {
      const record = await stage.create({ dueAt: new Date(1) });
      assert.equal(await stage.store.remove(record.id, 1), true);
      assert.equal(await stage.store.remove(record.id, 1), false);
      assert.equal(await stage.store.remove(stage.name(), 1), false);
      const again = await stage.create({ id: record.id, bytes: 3, data: undefined });
      assert.equal(again.version, 1);
      assert.deepStrictEqual([again.dueAt, again.data], [undefined, undefined]);
      await stage.assertKept(again, { open: 1, bytes: 3 });
      assert.deepStrictEqual(await stage.use(record), nothing);
    },
  },
];
