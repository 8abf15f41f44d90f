import assert from "node:assert/strict";
import type { NewUpload, UploadChanges } from "../../ground/storage/files/uploads.js";
import type { UploadScenario } from "./scenario.js";
import { stored, type UploadStage } from "./stage.js";

/** Asserts that a create is refused and stores nothing. */
async function assertRefused(stage: UploadStage, upload: NewUpload, limits: { readonly maxOpen?: number; readonly maxBytes?: number }, why: string) {
  const use = await stage.use(upload);
  assert.deepStrictEqual(await stage.store.create(upload, limits), { outcome: why, use });
  assert.equal(await stage.store.get(upload.id), undefined);
  assert.deepStrictEqual(await stage.use(upload), use);
}

export const limitScenarios: readonly UploadScenario[] = [
  {
    name: "creates succeed up to the limit of open records; the next is refused with the current sums",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      for (let count = 0; count < 3; count++) await stage.create(account, { maxOpen: 3 });
      await assertRefused(stage, stage.upload(account), { maxOpen: 3 }, "too-many-open");
      assert.deepStrictEqual(await stage.use(account), { open: 3, bytes: 300 });
    },
  },
  {
    name: "creates succeed up to the limit of bytes; the next byte is refused with the current sums",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      await stage.create({ ...account, bytes: 60 }, { maxBytes: 100 });
      await assertRefused(stage, stage.upload({ ...account, bytes: 41 }), { maxBytes: 100 }, "over-quota");
      await stage.create({ ...account, bytes: 40 }, { maxBytes: 100 });
      await assertRefused(stage, stage.upload({ ...account, bytes: 1 }), { maxBytes: 100 }, "over-quota");
      assert.deepStrictEqual(await stage.use(account), { open: 2, bytes: 100 });
    },
  },
  {
    name: "a first record beyond the limits is refused, and the account stays empty",
    async run(stage) {
      await assertRefused(stage, stage.upload(), { maxOpen: 0 }, "too-many-open");
      await assertRefused(stage, stage.upload({ bytes: 101 }), { maxBytes: 100 }, "over-quota");
      await assertRefused(stage, stage.upload({ bytes: Number.MAX_SAFE_INTEGER }), { maxBytes: Number.MAX_SAFE_INTEGER - 1 }, "over-quota");
      await stage.create({ bytes: Number.MAX_SAFE_INTEGER }, { maxBytes: Number.MAX_SAFE_INTEGER });
    },
  },
  {
    name: "a refused create can be repeated with the same id when there is room",
    async run(stage) {
      const first = await stage.create();
      const second = stage.upload({ tenant: first.tenant, account: first.account });
      await assertRefused(stage, second, { maxOpen: 1 }, "too-many-open");
      assert.equal(await stage.store.remove(first.id, 1), true);
      assert.equal(stored(await stage.store.create(second, { maxOpen: 1 })).version, 1);
    },
  },
  {
    name: "a closed record does not count as open, and a record without bytes uses no quota",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      await stage.create(account);
      await stage.create({ ...account, isOpen: false, bytes: 5 }, { maxOpen: 1, maxBytes: 105 });
      await stage.create({ ...account, bytes: 0 }, { maxOpen: 2, maxBytes: 1 });
      await stage.create({ ...account, isOpen: false, bytes: 0 }, { maxOpen: 0, maxBytes: 0 });
      assert.deepStrictEqual(await stage.use(account), { open: 2, bytes: 105 });
    },
  },
  {
    name: "closing a record decreases the count of open records, and reopening it counts again",
    async run(stage) {
      const first = await stage.create({}, { maxOpen: 1 });
      const { tenant, account } = first;
      stored(await stage.store.update(first.id, 1, { isOpen: false }, { maxOpen: 1 }));
      await stage.create({ tenant, account }, { maxOpen: 1 });
      const refused = await stage.store.update(first.id, 2, { isOpen: true, data: "new" }, { maxOpen: 1 });
      assert.deepStrictEqual(refused, { outcome: "too-many-open", use: { open: 1, bytes: 200 } });
      await stage.assertKept({ ...first, version: 2, isOpen: false }, { open: 1, bytes: 200 });
      stored(await stage.store.update(first.id, 2, { isOpen: true }, { maxOpen: 2 }));
      assert.deepStrictEqual(await stage.use(first), { open: 2, bytes: 200 });
    },
  },
  {
    name: "fewer bytes free quota, and only the increase of an update is checked",
    async run(stage) {
      const first = await stage.create({ bytes: 80 }, { maxBytes: 100 });
      const { tenant, account } = first;
      stored(await stage.store.update(first.id, 1, { bytes: 50 }, { maxBytes: 100 }));
      await stage.create({ tenant, account, bytes: 30 }, { maxBytes: 100 });
      const refused = await stage.store.update(first.id, 2, { bytes: 71 }, { maxBytes: 100 });
      assert.deepStrictEqual(refused, { outcome: "over-quota", use: { open: 2, bytes: 80 } });
      await stage.assertKept({ ...first, version: 2, bytes: 50 }, { open: 2, bytes: 80 });
      const grown = stored(await stage.store.update(first.id, 2, { bytes: 70 }, { maxBytes: 100 }));
      await stage.assertKept(grown, { open: 2, bytes: 100 });
    },
  },
  {
    name: "an update that adds nothing is never refused, even if the account exceeds its limits",
    async run(stage) {
      const { id, ...account } = await stage.create({ bytes: 100 });
      const harmless: readonly UploadChanges[] = [{ isOpen: true }, { bytes: 100 }, { data: 1 }, {}, { bytes: 99 }, { isOpen: false, bytes: 98 }];
      for (const [index, changes] of harmless.entries()) stored(await stage.store.update(id, index + 1, changes, { maxOpen: 0, maxBytes: 0 }));
      assert.deepStrictEqual(await stage.use(account), { open: 0, bytes: 98 });
    },
  },
  {
    name: "an update is only checked against the limits whose sums it increases",
    async run(stage) {
      const { id, ...account } = await stage.create({ bytes: 100, isOpen: false });
      stored(await stage.store.update(id, 1, { isOpen: true, bytes: 100 }, { maxOpen: 1, maxBytes: 0 }));
      stored(await stage.store.update(id, 2, { isOpen: true, bytes: 101 }, { maxOpen: 0, maxBytes: 101 }));
      stored(await stage.store.update(id, 3, { isOpen: false, bytes: 102 }, { maxOpen: 0, maxBytes: 102 }));
      assert.deepStrictEqual(await stage.use(account), { open: 0, bytes: 102 });
    },
  },
  {
    name: "without limits nothing is refused",
    async run(stage) {
      const { id, ...account } = await stage.create({}, {});
      stored(await stage.store.update(id, 1, { bytes: Number.MAX_SAFE_INTEGER }, { maxOpen: undefined, maxBytes: undefined }));
      assert.deepStrictEqual(await stage.use(account), { open: 1, bytes: Number.MAX_SAFE_INTEGER });
    },
  },
];
