import assert from "node:assert/strict";
import type { NewUpload, UploadChanges } from "../../storage/uploads.js";
import type { UploadScenario } from "./scenario.js";
import { stored, type UploadStage } from "./stage.js";

/** Checks that a create is refused and leaves nothing. */
async function assertRefused(
  stage: UploadStage,
  upload: NewUpload,
  limits: { readonly mostOpen?: number; readonly mostBytes?: number },
  why: string,
) {
  const use = await stage.use(upload);
  assert.deepStrictEqual(await stage.store.create(upload, limits), { outcome: why, use });
  assert.equal(await stage.store.get(upload.id), undefined);
  assert.deepStrictEqual(await stage.use(upload), use);
}

export const limitScenarios: readonly UploadScenario[] = [
  {
    name: "as many open as there may be are taken, one more is refused with what there is",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      for (let count = 0; count < 3; count++) await stage.create(account, { mostOpen: 3 });
      await assertRefused(stage, stage.upload(account), { mostOpen: 3 }, "too-many-open");
      assert.deepStrictEqual(await stage.use(account), { open: 3, bytes: 300 });
    },
  },
  {
    name: "as many bytes as there may be are taken, one more is refused with what there is",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      await stage.create({ ...account, bytes: 60 }, { mostBytes: 100 });
      await assertRefused(stage, stage.upload({ ...account, bytes: 41 }), { mostBytes: 100 }, "over-quota");
      await stage.create({ ...account, bytes: 40 }, { mostBytes: 100 });
      await assertRefused(stage, stage.upload({ ...account, bytes: 1 }), { mostBytes: 100 }, "over-quota");
      assert.deepStrictEqual(await stage.use(account), { open: 2, bytes: 100 });
    },
  },
  {
    name: "what alone is too much for a new account is refused, and the account stays without anything",
    async run(stage) {
      await assertRefused(stage, stage.upload(), { mostOpen: 0 }, "too-many-open");
      await assertRefused(stage, stage.upload({ bytes: 101 }), { mostBytes: 100 }, "over-quota");
      await assertRefused(stage, stage.upload({ bytes: Number.MAX_SAFE_INTEGER }), { mostBytes: Number.MAX_SAFE_INTEGER - 1 }, "over-quota");
      await stage.create({ bytes: Number.MAX_SAFE_INTEGER }, { mostBytes: Number.MAX_SAFE_INTEGER });
    },
  },
  {
    name: "what was refused may be tried again under the same id when there is room",
    async run(stage) {
      const first = await stage.create();
      const second = stage.upload({ tenant: first.tenant, account: first.account });
      await assertRefused(stage, second, { mostOpen: 1 }, "too-many-open");
      assert.equal(await stage.store.remove(first.id, 1), true);
      assert.equal(stored(await stage.store.create(second, { mostOpen: 1 })).version, 1);
    },
  },
  {
    name: "a record that is not open takes no place, and one without bytes no quota",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      await stage.create(account);
      await stage.create({ ...account, isOpen: false, bytes: 5 }, { mostOpen: 1, mostBytes: 105 });
      await stage.create({ ...account, bytes: 0 }, { mostOpen: 2, mostBytes: 1 });
      await stage.create({ ...account, isOpen: false, bytes: 0 }, { mostOpen: 0, mostBytes: 0 });
      assert.deepStrictEqual(await stage.use(account), { open: 2, bytes: 105 });
    },
  },
  {
    name: "a record that is closed frees its place, and one that is opened again needs one",
    async run(stage) {
      const first = await stage.create({}, { mostOpen: 1 });
      const { tenant, account } = first;
      stored(await stage.store.update(first.id, 1, { isOpen: false }, { mostOpen: 1 }));
      await stage.create({ tenant, account }, { mostOpen: 1 });
      const refused = await stage.store.update(first.id, 2, { isOpen: true, data: "new" }, { mostOpen: 1 });
      assert.deepStrictEqual(refused, { outcome: "too-many-open", use: { open: 1, bytes: 200 } });
      await stage.assertKept({ ...first, version: 2, isOpen: false }, { open: 1, bytes: 200 });
      stored(await stage.store.update(first.id, 2, { isOpen: true }, { mostOpen: 2 }));
      assert.deepStrictEqual(await stage.use(first), { open: 2, bytes: 200 });
    },
  },
  {
    name: "bytes that become fewer free quota, and an update is judged for what it adds alone",
    async run(stage) {
      const first = await stage.create({ bytes: 80 }, { mostBytes: 100 });
      const { tenant, account } = first;
      stored(await stage.store.update(first.id, 1, { bytes: 50 }, { mostBytes: 100 }));
      await stage.create({ tenant, account, bytes: 30 }, { mostBytes: 100 });
      const refused = await stage.store.update(first.id, 2, { bytes: 71 }, { mostBytes: 100 });
      assert.deepStrictEqual(refused, { outcome: "over-quota", use: { open: 2, bytes: 80 } });
      await stage.assertKept({ ...first, version: 2, bytes: 50 }, { open: 2, bytes: 80 });
      const grown = stored(await stage.store.update(first.id, 2, { bytes: 70 }, { mostBytes: 100 }));
      await stage.assertKept(grown, { open: 2, bytes: 100 });
    },
  },
  {
    name: "an update that takes no more is never refused, however far the account is beyond its limits",
    async run(stage) {
      const { id, ...account } = await stage.create({ bytes: 100 });
      const harmless: readonly UploadChanges[] = [{ isOpen: true }, { bytes: 100 }, { data: 1 }, {}, { bytes: 99 }, { isOpen: false, bytes: 98 }];
      for (const [index, changes] of harmless.entries()) stored(await stage.store.update(id, index + 1, changes, { mostOpen: 0, mostBytes: 0 }));
      assert.deepStrictEqual(await stage.use(account), { open: 0, bytes: 98 });
    },
  },
  {
    name: "an update is judged only by the limit that it comes nearer to",
    async run(stage) {
      const { id, ...account } = await stage.create({ bytes: 100, isOpen: false });
      stored(await stage.store.update(id, 1, { isOpen: true, bytes: 100 }, { mostOpen: 1, mostBytes: 0 }));
      stored(await stage.store.update(id, 2, { isOpen: true, bytes: 101 }, { mostOpen: 0, mostBytes: 101 }));
      stored(await stage.store.update(id, 3, { isOpen: false, bytes: 102 }, { mostOpen: 0, mostBytes: 102 }));
      assert.deepStrictEqual(await stage.use(account), { open: 0, bytes: 102 });
    },
  },
  {
    name: "without limits nothing is refused",
    async run(stage) {
      const { id, ...account } = await stage.create({}, {});
      stored(await stage.store.update(id, 1, { bytes: Number.MAX_SAFE_INTEGER }, { mostOpen: undefined, mostBytes: undefined }));
      assert.deepStrictEqual(await stage.use(account), { open: 1, bytes: Number.MAX_SAFE_INTEGER });
    },
  },
];
