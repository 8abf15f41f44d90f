import assert from "node:assert/strict";
import type { JobStore } from "../../ground/storage/queue/jobs.js";
import type { Storage } from "../../ground/storage/storage.js";
import { rolledBack } from "../queue/rolledBack.js";
import type { JobNeeds, JobScenario } from "./scenario.js";
import { jobsOf } from "./stage.js";

const needs: JobNeeds = { transactions: true };
const entries = [{ position: 1, value: "one" }] as const;
const step = { processed: 1, total: 2, counts: { created: 1 }, cursor: 1, entries } as const;

export const jobTransactionScenarios: readonly JobScenario[] = [
  {
    name: "a job and a row are created together",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const job = stage.job({ entries });
      await stage.transaction(async (store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal(await store.create(job), true);
        assert.equal(await store.create(job), false);
        assert.equal((await store.get(job.id))?.status, "queued");
        assert.deepStrictEqual(await store.entries(job.id, 0, 10), entries);
      });
      assert.deepStrictEqual((await stage.claimOne(job.type)).input, job.input);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "a create that is rolled back leaves neither the job nor its entries, and the id is free",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const job = stage.job({ entries });
      await rolledBack(stage, async (store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal(await store.create(job), true);
      });
      assert.equal(await stage.store.get(job.id), undefined);
      assert.deepStrictEqual(await stage.store.entries(job.id, 0, 10), []);
      assert.deepStrictEqual(await stage.claim(job.type), []);
      assert.equal(await stage.store.countQueued(job.tenant), 0);
      assert.equal(await items.rows.count(undefined, {}), 0);
      assert.equal(await stage.store.create(job), true);
    },
  },
  {
    name: "an advance and its rows commit together, and become visible together",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const { id, lease } = await stage.begun();
      await stage.transaction(async (store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal(await store.advance(lease, step), true);
        assert.equal((await store.get(id))?.processed, 1);
      });
      assert.equal((await stage.state(id)).processed, 1);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entries);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "an advance that is rolled back stores nothing and can be repeated",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const { id, type, lease } = await stage.begun({ cursor: 0 });
      const before = await stage.state(id);
      await rolledBack(stage, async (store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal(await store.advance(lease, step), true);
      });
      assert.deepStrictEqual(await stage.state(id), before);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), []);
      assert.equal(await items.rows.count(undefined, {}), 0);
      assert.equal(await stage.store.advance(lease, { ...step, cursor: 2 }), true);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entries);
      assert.equal(await stage.store.release(lease, { delayMs: 0, failed: false }), true);
      assert.equal((await stage.claimOne(type)).cursor, 2);
    },
  },
  {
    name: "an uncommitted advance is not visible outside of its transaction",
    needs,
    async run(stage) {
      const { id, lease } = await stage.begun();
      let outside: Promise<number> | undefined;
      await rolledBack(stage, async (store) => {
        assert.equal(await store.advance(lease, step), true);
        outside = stage.state(id).then(({ processed }) => processed);
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      });
      assert.equal(await outside, 0);
    },
  },
  {
    name: "a finish and a row commit together, or roll back together",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const { id, lease } = await stage.begun();
      const work = async (store: JobStore, tx: Storage) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal(await store.finish(lease, { status: "completed", result: "done" }), true);
        assert.equal(await store.finish(lease, { status: "completed", result: "again" }), false);
      };
      await rolledBack(stage, work);
      assert.equal((await stage.state(id)).status, "processing");
      assert.equal(await items.rows.count(undefined, {}), 0);
      await stage.transaction(work);
      assert.deepStrictEqual([(await stage.state(id)).status, (await stage.state(id)).result], ["completed", "done"]);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "a finish that is rolled back keeps the input for the next attempt",
    needs,
    async run(stage) {
      const { id, type, lease } = await stage.begun();
      await rolledBack(stage, async (store) => {
        assert.equal(await store.finish(lease, { status: "completed" }), true);
      });
      assert.equal(await stage.store.release(lease, { delayMs: 0, failed: false }), true);
      const next = await stage.claimOne(type);
      assert.deepStrictEqual([next.id, next.input], [id, { rows: 3 }]);
    },
  },
  {
    name: "cancels, failed attempts and removals that are rolled back change nothing",
    needs,
    async run(stage) {
      const running = await stage.begun();
      const ended = await stage.ended({ entries });
      const before = await Promise.all([running, ended].map(({ id }) => stage.state(id)));
      await rolledBack(stage, async (store) => {
        assert.equal(await store.cancel(running.id), "requested");
        assert.equal(await store.release(running.lease, { delayMs: 0, failed: true }), true);
        assert.equal(await store.remove(ended.id), true);
      });
      assert.deepStrictEqual(await Promise.all([running, ended].map(({ id }) => stage.state(id))), before);
      assert.deepStrictEqual(await stage.store.entries(ended.id, 0, 10), entries);
      assert.equal(await stage.store.extend(running.lease, 60_000), "held");
    },
  },
  {
    name: "an advance in a nested transaction is undone with it alone",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const { id, lease } = await stage.begun();
      await stage.transaction(async (_store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        const nested = tx.transaction?.(async (inner) => {
          assert.equal(await jobsOf(inner).advance(lease, step), true);
          throw new Error("on purpose");
        });
        await assert.rejects(async () => nested, /on purpose/);
      });
      assert.equal((await stage.state(id)).processed, 0);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), []);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "the store of an ended transaction cannot write",
    needs,
    async run(stage) {
      const { id, lease } = await stage.begun();
      const ended = await stage.transaction(async (store) => store);
      await assert.rejects(async () => ended.advance(lease, step));
      assert.equal((await stage.state(id)).processed, 0);
    },
  },
];
