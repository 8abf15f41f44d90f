import assert from "node:assert/strict";
import type { NewJob } from "../../ground/storage/queue/jobs.js";
import type { JobScenario } from "./scenario.js";
import type { JobStage } from "./stage.js";

/** The id of the job that has the key of a job. */
function holderOf({ store }: JobStage, { type, tenant, key }: NewJob, within = store): Promise<string | undefined> {
  assert.ok(within.withKey !== undefined && key !== undefined);
  return within.withKey(type, tenant, key);
}

const keyed: readonly JobScenario[] = [
  {
    name: "a second job with the key of one that waits or runs is not created",
    async run(stage) {
      const first = await stage.create({ key: "nightly" });
      const { type, tenant, key } = first;
      const second = stage.job({ type, tenant, key, input: "second", entries: [{ position: 1, value: "second" }] });
      assert.equal(await stage.store.create(second), false);
      assert.equal(await stage.store.get(second.id), undefined);
      assert.deepStrictEqual(await stage.store.entries(second.id, -1, 10), []);
      assert.equal(await holderOf(stage, first), first.id);
      const { lease } = await stage.claimOne(type);
      assert.equal(await stage.store.create(second), false);
      assert.equal(await stage.store.release(lease, { delayMs: 60_000, failed: true }), true);
      assert.equal(await stage.store.create(second), false);
      assert.equal(await holderOf(stage, first), first.id);
    },
  },
  {
    name: "a key is free when its job has ended, was canceled, or was removed",
    async run(stage) {
      const first = await stage.create({ key: "k" });
      const { type, tenant, key } = first;
      const { lease } = await stage.claimOne(type);
      assert.equal(await stage.store.finish(lease, { status: "completed" }), true);
      assert.equal(await holderOf(stage, first), undefined);
      const second = await stage.create({ type, tenant, key });
      assert.equal(await holderOf(stage, first), second.id);
      assert.equal(await stage.store.cancel(second.id), "canceled");
      assert.equal(await holderOf(stage, first), undefined);
      const third = await stage.create({ type, tenant, key });
      assert.equal(await holderOf(stage, first), third.id);
    },
  },
  {
    name: "jobs of other types and tenants, and jobs without a key, have nothing to do with it",
    async run(stage) {
      const first = await stage.create({ key: "k" });
      const { type, tenant, key } = first;
      const others = [
        { type, tenant: undefined, key },
        { type, tenant: stage.name(), key },
        { type: stage.name(), tenant, key },
        { type, tenant, key: `${key} ` },
        { type, tenant },
        { type, tenant },
      ];
      for (const other of others) await stage.create(other);
      assert.equal(await holderOf(stage, first), first.id);
      assert.equal((await stage.claim(type)).length, 6);
    },
  },
  {
    name: "a failed job is not reopened while another one has its key",
    async run(stage) {
      const first = await stage.begun({ key: "k" });
      assert.equal(await stage.store.finish(first.lease, { status: "failed", error: { code: "X", detail: "x" }, resumable: true }), true);
      const { type, tenant } = first;
      const second = await stage.create({ type, tenant, key: "k" });
      assert.equal(await stage.store.reopen(first.id), false);
      assert.equal((await stage.state(first.id)).status, "failed");
      assert.equal(await stage.store.cancel(second.id), "canceled");
      assert.equal(await stage.store.reopen(first.id), true);
      assert.equal(await holderOf(stage, { ...second, key: "k" }), first.id);
      assert.equal(await stage.store.create(stage.job({ type, tenant, key: "k" })), false);
    },
  },
  {
    name: "of many that are created at once with one key, one is",
    async run(stage) {
      const { type, tenant, key } = stage.job({ key: stage.name() });
      const made = await Promise.all(Array.from({ length: 8 }, () => stage.store.create(stage.job({ type, tenant, key }))));
      assert.equal(made.filter(Boolean).length, 1);
      assert.equal((await stage.claim(type)).length, 1);
    },
  },
];

const timed: readonly JobScenario[] = [
  {
    name: "a job is claimed when it is due, and not before",
    async run(stage) {
      const { createdAt } = await stage.state((await stage.create()).id);
      const job = await stage.create({ dueAt: new Date(createdAt.getTime() + 1_000) });
      assert.deepStrictEqual(await stage.claim(job.type), []);
      assert.equal((await stage.state(job.id)).status, "queued");
      await stage.advance(1_100);
      assert.equal((await stage.claimOne(job.type)).id, job.id);
    },
  },
  {
    name: "a job whose time has passed is due at once",
    async run(stage) {
      const job = await stage.create({ dueAt: new Date(0) });
      assert.equal((await stage.claimOne(job.type)).id, job.id);
      const before = await stage.create({ dueAt: new Date(-1) });
      assert.equal((await stage.claimOne(before.type)).id, before.id);
    },
  },
  {
    name: "a job that waits for its time is canceled like any other",
    async run(stage) {
      const job = await stage.create({ dueAt: new Date(Date.now() + 86_400_000) });
      assert.equal(await stage.store.cancel(job.id), "canceled");
      assert.equal((await stage.state(job.id)).status, "failed");
    },
  },
];

const counted: readonly JobScenario[] = [
  {
    name: "queued jobs are counted by their types",
    async run(stage) {
      const { tenant, type } = await stage.create();
      await stage.create({ tenant, type });
      const other = await stage.create({ tenant });
      assert.equal(await stage.store.countQueued(tenant, [type]), 2);
      assert.equal(await stage.store.countQueued(tenant, [type, other.type]), 3);
      assert.equal(await stage.store.countQueued(tenant, []), 0);
      assert.equal(await stage.store.countQueued(tenant), 3);
    },
  },
  {
    name: "progress that keeps the position changes neither the cursor nor the attempts",
    async run(stage) {
      const { type } = await stage.overdue({ cursor: 3 });
      const second = await stage.claimOne(type, { leaseMs: 500 });
      assert.deepStrictEqual([second.attempts, second.cursor], [1, 3]);
      assert.equal(await stage.store.advance(second.lease, { processed: 4, total: 9, counts: {}, cursor: 4, keepsPosition: true }), true);
      const { attempts, processed } = await stage.state(second.id);
      assert.deepStrictEqual([attempts, processed], [1, 4]);
      assert.equal(await stage.store.release(second.lease, { delayMs: 0, failed: false }), true);
      const third = await stage.claimOne(type);
      assert.deepStrictEqual([third.attempts, third.cursor], [1, 3]);
      assert.equal(await stage.store.advance(third.lease, { processed: 5, total: 9, counts: {}, cursor: 5 }), true);
      assert.equal((await stage.state(third.id)).attempts, 0);
    },
  },
];

const transactional: readonly JobScenario[] = [
  {
    name: "a key is free again when its transaction was rolled back",
    async run(stage) {
      const job = stage.job({ key: "k" });
      const failed = stage.transaction(async (store) => {
        assert.equal(await store.create(job), true);
        assert.equal(await holderOf(stage, job, store), job.id);
        throw new Error("rolled back");
      });
      await assert.rejects(failed, /rolled back/);
      assert.equal(await holderOf(stage, job), undefined);
      assert.equal(await stage.store.create(job), true);
    },
  },
];

/** Keys of jobs and times at which they are due, and what comes with jobs of the developer's own. */
export const keyScenarios: readonly JobScenario[] = [
  ...[...keyed, ...timed].map((scenario) => ({ ...scenario, needs: { withKey: true } as const })),
  ...counted,
  ...transactional.map((scenario) => ({ ...scenario, needs: { withKey: true, transactions: true } as const })),
];
