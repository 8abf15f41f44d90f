import assert from "node:assert/strict";
import type { ClaimedJob, JobEnd } from "../../ground/storage/queue/jobs.js";
import type { JobScenario } from "./scenario.js";
import type { JobStage } from "./stage.js";

const failed: JobEnd = { status: "failed", error: { code: "CONFLICT", detail: "Row 4 is taken.", row: 4 }, result: { created: 3 } };
const resumable: JobEnd = { ...failed, resumable: true };
const entries = [{ position: 1, value: "one" }] as const;
const step = { processed: 3, total: 9, counts: { created: 3 }, cursor: { row: 3 }, rate: 5, entries } as const;

/** A resumable job that advanced and then failed. */
async function failedJob(stage: JobStage, end: JobEnd = resumable): Promise<ClaimedJob> {
  const job = await stage.begun();
  assert.equal(await stage.store.advance(job.lease, step), true);
  assert.equal(await stage.store.finish(job.lease, end), true);
  return job;
}

export const reopenScenarios: readonly JobScenario[] = [
  {
    name: "only a failed job with a resumable end is resumable",
    async run(stage) {
      const waiting = await stage.create();
      const running = await stage.begun();
      const completed = await stage.ended();
      const ended = await failedJob(stage, failed);
      const kept = await failedJob(stage);
      const states = await Promise.all([waiting, running, completed, ended, kept].map(({ id }) => stage.state(id)));
      assert.deepStrictEqual(
        states.map((state) => state.resumable),
        [false, false, false, false, true],
      );
      assert.equal(running.resumable, false);
    },
  },
  {
    name: "a reopened job is queued again with its progress and entries, and without its end",
    async run(stage) {
      const { id, tenant } = await failedJob(stage);
      const before = await stage.state(id);
      assert.equal(await stage.store.reopen(id), true);
      const { version, ...state } = await stage.state(id);
      const end = { finishedAt: undefined, result: undefined, error: undefined, rate: undefined };
      const { version: versionBefore, ...rest } = { ...before, status: "queued" as const, resumable: false, ...end };
      assert.deepStrictEqual(state, rest);
      assert.notEqual(version, versionBefore);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entries);
      assert.equal(await stage.store.countQueued(tenant), 1);
      assert.equal(await stage.store.remove(id), false);
    },
  },
  {
    name: "a claim of a reopened job has its cursor, its input and the next fence",
    async run(stage) {
      const before = await failedJob(stage);
      assert.equal(await stage.store.reopen(before.id), true);
      const { input, cursor, attempts, processed, startedAt, lease } = await stage.claimOne(before.type);
      assert.deepStrictEqual(
        { input, cursor, attempts, processed, startedAt, lease },
        {
          ...{ input: before.input, cursor: step.cursor, attempts: 0, processed: 3, startedAt: before.startedAt },
          lease: { id: before.id, fence: before.lease.fence + 1 },
        },
      );
      assert.equal(await stage.store.advance(before.lease, { ...step, processed: 4 }), false);
      assert.equal(await stage.store.finish(lease, { status: "completed" }), true);
      assert.equal(await stage.store.reopen(before.id), false);
    },
  },
  {
    name: "reopening resets the attempts and the cancellation",
    async run(stage) {
      const { id, type } = await stage.overdue();
      assert.equal(await stage.store.cancel(id), "requested");
      const { attempts, lease } = await stage.claimOne(type);
      assert.equal(attempts, 1);
      assert.equal(await stage.store.finish(lease, resumable), true);
      assert.equal(await stage.store.reopen(id), true);
      const state = await stage.state(id);
      assert.deepStrictEqual([state.attempts, state.cancelRequested], [0, false]);
      const next = await stage.claimOne(type);
      assert.deepStrictEqual([next.attempts, next.cancelRequested], [0, false]);
      assert.equal(await stage.store.extend(next.lease, 60_000), "held");
    },
  },
  {
    name: "a job can fail and be reopened repeatedly, and no version occurs twice",
    async run(stage) {
      const { id, type } = await failedJob(stage);
      const versions = new Set<string>();
      for (let round = 1; round <= 3; round++) {
        assert.equal(await stage.store.reopen(id), true);
        versions.add((await stage.state(id)).version);
        const { lease, cursor } = await stage.claimOne(type);
        assert.deepStrictEqual(cursor, step.cursor);
        assert.equal(await stage.store.finish(lease, resumable), true);
        versions.add((await stage.state(id)).version);
      }
      assert.equal(versions.size, 6);
      assert.equal((await stage.state(id)).resumable, true);
    },
  },
  {
    name: "a job without an input can be reopened, and one without a cursor starts from the beginning",
    async run(stage) {
      const { id, type, lease } = await stage.begun({ input: undefined });
      assert.equal(await stage.store.finish(lease, resumable), true);
      assert.equal(await stage.store.reopen(id), true);
      const { input, cursor } = await stage.claimOne(type);
      assert.deepStrictEqual([input, cursor], [undefined, undefined]);
    },
  },
  {
    name: "jobs that are queued, processing, completed, failed for good or unknown cannot be reopened",
    async run(stage) {
      const jobs = [await stage.create(), await stage.begun(), await stage.ended(), await failedJob(stage, failed)];
      for (const { id } of jobs) {
        const before = await stage.state(id);
        assert.equal(await stage.store.reopen(id), false);
        assert.deepStrictEqual(await stage.state(id), before);
      }
      assert.equal(await stage.store.reopen(stage.name()), false);
    },
  },
  {
    name: "a job that was canceled in the queue can be reopened only if it had been reopened before",
    async run(stage) {
      const fresh = await stage.create({ cursor: 1 });
      assert.equal(await stage.store.cancel(fresh.id), "canceled");
      assert.equal(await stage.store.reopen(fresh.id), false);
      const { id, type } = await failedJob(stage);
      assert.equal(await stage.store.reopen(id), true);
      assert.equal(await stage.store.cancel(id), "canceled");
      const { status, error, resumable: kept } = await stage.state(id);
      assert.deepStrictEqual([status, error?.code, kept], ["failed", "CANCELLED", true]);
      assert.equal(await stage.store.reopen(id), true);
      assert.deepStrictEqual((await stage.claimOne(type)).cursor, step.cursor);
    },
  },
  {
    name: "a resumable job is removed or swept like any other job that has ended",
    async run(shared) {
      const stage = await shared.another();
      const [removed, swept] = [await failedJob(stage), await failedJob(stage)];
      assert.equal(await stage.store.remove(removed.id), true);
      await stage.advance(5);
      assert.equal(await stage.store.sweep(0, 10), 1);
      for (const { id } of [removed, swept]) assert.equal(await stage.store.reopen(id), false);
      const { type } = await stage.create({ id: removed.id, input: "new" });
      assert.equal((await stage.claimOne(type)).input, "new");
    },
  },
];
