import assert from "node:assert/strict";
import type { ClaimedJob, JobEnd } from "../../storage/jobs.js";
import type { JobScenario } from "./scenario.js";
import type { JobStage } from "./stage.js";

const failed: JobEnd = { status: "failed", error: { code: "CONFLICT", detail: "Row 4 is taken.", row: 4 }, result: { created: 3 } };
const resumable: JobEnd = { ...failed, resumable: true };
const entries = [{ position: 1, value: "one" }] as const;
const step = { processed: 3, total: 9, counts: { created: 3 }, cursor: { row: 3 }, rate: 5, entries } as const;

/** A job that has got a step further and failed, and may go on. */
async function failedJob(stage: JobStage, end: JobEnd = resumable): Promise<ClaimedJob> {
  const job = await stage.begun();
  assert.equal(await stage.store.advance(job.lease, step), true);
  assert.equal(await stage.store.finish(job.lease, end), true);
  return job;
}

export const reopenScenarios: readonly JobScenario[] = [
  {
    name: "a job that failed and is resumable says so, any other job does not",
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
    name: "a job that is reopened waits anew, with its progress and entries and without its end",
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
    name: "who claims a reopened job goes on at its cursor with its input, as if nothing had failed, under the next fence",
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
    name: "the tries and the wish to end of before a reopening count no more",
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
    name: "a job can fail and be reopened again and again, and has no version twice",
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
    name: "a job whose input is nothing can be reopened too, one that never had a cursor begins anew",
    async run(stage) {
      const { id, type, lease } = await stage.begun({ input: undefined });
      assert.equal(await stage.store.finish(lease, resumable), true);
      assert.equal(await stage.store.reopen(id), true);
      const { input, cursor } = await stage.claimOne(type);
      assert.deepStrictEqual([input, cursor], [undefined, undefined]);
    },
  },
  {
    name: "no other job is reopened, whether it waits, is under way, was completed or failed for good, and none that there is not",
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
    name: "a job that was canceled before anybody began it cannot be reopened, one that was reopened and then canceled can",
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
    name: "a job that is resumable is removed, or swept, like any other that has ended",
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
