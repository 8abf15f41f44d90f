import assert from "node:assert/strict";
import type { AccountUse, UploadStore } from "../../ground/storage/files/uploads.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { UploadNeeds, UploadScenario } from "./scenario.js";
import { conflict, nothing, stored, type UploadStage, uploadsOf } from "./stage.js";

const needs: UploadNeeds = { transactions: true };

/** Makes a transaction fail on purpose. */
class Rollback extends Error {}

async function rolledBack(stage: UploadStage, run: (store: UploadStore, tx: Storage) => Promise<void>): Promise<void> {
  const rollback = new Rollback("on purpose");
  const transaction = stage.transaction(async (store, tx) => {
    await run(store, tx);
    throw rollback;
  });
  await assert.rejects(transaction, (error) => error === rollback);
}

export const uploadTransactionScenarios: readonly UploadScenario[] = [
  {
    name: "a record and a row are created together, and are visible inside the transaction",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const upload = stage.upload({ dueAt: new Date(1_000) });
      await stage.transaction(async (store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        const record = stored(await store.create(upload, { maxOpen: 1 }));
        assert.deepStrictEqual(await store.create(upload), conflict);
        assert.deepStrictEqual(await store.get(upload.id), record);
        assert.deepStrictEqual(await stage.use(upload, store), { open: 1, bytes: 100 });
        assert.ok((await store.due(new Date(1_000), 1_000)).some(({ id }) => id === upload.id));
      });
      await stage.assertKept({ ...upload, version: 1 }, { open: 1, bytes: 100 });
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "a create that is rolled back leaves no record and no sums, and the id is free",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const upload = stage.upload();
      await rolledBack(stage, async (store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        stored(await store.create(upload, { maxOpen: 1 }));
      });
      assert.equal(await stage.store.get(upload.id), undefined);
      assert.deepStrictEqual(await stage.use(upload), nothing);
      assert.equal(await items.rows.count(undefined, {}), 0);
      stored(await stage.store.create(upload, { maxOpen: 1 }));
    },
  },
  {
    name: "updates and removals that are rolled back change nothing",
    needs,
    async run(stage) {
      const first = await stage.create({ dueAt: new Date(1) });
      const second = await stage.create({ tenant: first.tenant, account: first.account, bytes: 11 });
      await rolledBack(stage, async (store) => {
        stored(await store.update(first.id, 1, { bytes: 500, isOpen: false, dueAt: undefined, data: "gone" }));
        stored(await store.update(first.id, 2, { data: "again" }));
        assert.equal(await store.remove(second.id, 1), true);
        assert.deepStrictEqual(await stage.use(first, store), { open: 0, bytes: 500 });
      });
      for (const record of [first, second]) await stage.assertKept(record, { open: 2, bytes: 111 });
      await rolledBack(stage, async (store) => {
        assert.equal(await store.remove(first.id, 1), true);
        assert.equal(await store.remove(second.id, 1), true);
        assert.deepStrictEqual(await stage.use(first, store), nothing);
      });
      await stage.assertKept(second, { open: 2, bytes: 111 });
    },
  },
  {
    name: "a refused write inside a transaction stores nothing, and the transaction continues",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const first = await stage.create();
      const second = stage.upload({ tenant: first.tenant, account: first.account });
      await stage.transaction(async (store, tx) => {
        const use = { open: 1, bytes: 100 };
        assert.deepStrictEqual(await store.create(second, { maxOpen: 1 }), { outcome: "too-many-open", use });
        assert.deepStrictEqual(await store.update(first.id, 1, { bytes: 101 }, { maxBytes: 100 }), { outcome: "over-quota", use });
        assert.deepStrictEqual(await store.update(first.id, 9, { bytes: 1 }), conflict);
        assert.equal(await store.remove(first.id, 9), false);
        await items.in(tx).insert(items.row({ id: "a" }), {});
      });
      assert.equal(await stage.store.get(second.id), undefined);
      await stage.assertKept(first, { open: 1, bytes: 100 });
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "uncommitted writes are not visible outside of the transaction",
    needs,
    async run(stage) {
      const first = await stage.create();
      let outside: Promise<readonly [number | undefined, AccountUse]> | undefined;
      await rolledBack(stage, async (store) => {
        stored(await store.update(first.id, 1, { bytes: 5 }));
        // Not awaited: a store with one connection only answers after the transaction.
        outside = Promise.all([stage.store.get(first.id).then((record) => record?.bytes), stage.use(first)]);
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      });
      assert.deepStrictEqual(await outside, [100, { open: 1, bytes: 100 }]);
    },
  },
  {
    name: "concurrent transactions together respect the limit",
    needs,
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, () => stage.transaction(async (store) => (await store.create(stage.upload(account), { maxOpen: 5 })).outcome)),
      );
      assert.equal(outcomes.filter((outcome) => outcome === "stored").length, 5);
      assert.equal(outcomes.filter((outcome) => outcome === "too-many-open").length, 7);
      assert.deepStrictEqual(await stage.use(account), { open: 5, bytes: 500 });
    },
  },
  {
    name: "a create in a nested transaction is undone with it alone",
    needs,
    async run(stage) {
      const [kept, undone] = [stage.upload(), stage.upload()];
      const within = { tenant: kept.tenant, account: kept.account };
      await stage.transaction(async (store, tx) => {
        stored(await store.create(kept));
        const nested = tx.transaction?.(async (inner) => {
          stored(await uploadsOf(inner).create({ ...undone, ...within }));
          assert.deepStrictEqual(await stage.use(kept, uploadsOf(inner)), { open: 2, bytes: 200 });
          throw new Rollback("on purpose");
        });
        await assert.rejects(async () => nested, Rollback);
        assert.deepStrictEqual(await stage.use(kept, store), { open: 1, bytes: 100 });
      });
      assert.equal(await stage.store.get(undone.id), undefined);
      await stage.assertKept({ ...kept, version: 1 }, { open: 1, bytes: 100 });
    },
  },
  {
    name: "the store of an ended transaction cannot write",
    needs,
    async run(stage) {
      const record = await stage.create();
      const ended = await stage.transaction(async (store) => store);
      await assert.rejects(async () => ended.create(stage.upload()));
      await assert.rejects(async () => ended.update(record.id, 1, { data: "late" }));
      await assert.rejects(async () => ended.remove(record.id, 1));
      await stage.assertKept(record, { open: 1, bytes: 100 });
    },
  },
];
