import assert from "node:assert/strict";
import { together } from "./races.js";
import type { JobScenario } from "./scenario.js";
import { type JobStage, jobsOf } from "./stage.js";

/** A job that has failed and may go on. */
async function failedJob(stage: JobStage): Promise<{ readonly id: string; readonly type: string }> {
  const { id, type, lease } = await stage.begun();
  assert.equal(await stage.store.finish(lease, { status: "failed", error: { code: "X", detail: "x" }, resumable: true }), true);
  return { id, type };
}

export const reopenRaceScenarios: readonly JobScenario[] = [
  {
    name: "of 20 who reopen a job at once exactly one succeeds, and one worker gets it",
    async run(stage) {
      for (let round = 0; round < 5; round++) {
        const { id, type } = await failedJob(stage);
        const reopened = await together(() => stage.store.reopen(id));
        assert.equal(reopened.filter(Boolean).length, 1);
        assert.equal((await together(() => stage.claim(type))).flat().length, 1);
      }
    },
  },
  {
    name: "a job that is reopened and removed at once is one or the other, and whole",
    async run(stage) {
      for (let round = 0; round < 10; round++) {
        const { id, type } = await failedJob(stage);
        const calls = [() => stage.store.reopen(id), () => stage.store.remove(id)] as const;
        // The first to be called may win always.
        const first = round % 2;
        const answers = await Promise.all(first === 0 ? [calls[0](), calls[1]()] : [calls[1](), calls[0]()]);
        const reopened = answers[first];
        assert.equal(answers[1 - first], !reopened);
        const claimed = await stage.claim(type);
        assert.deepStrictEqual(
          claimed.map(({ input }) => input),
          reopened ? [{ rows: 3 }] : [],
        );
      }
    },
  },
  {
    name: "a job that is reopened and swept at once is one or the other, and whole",
    async run(shared) {
      const stage = await shared.another();
      for (let round = 0; round < 10; round++) {
        const { id, type } = await failedJob(stage);
        await stage.advance(3);
        const [reopened, swept] = await Promise.all([stage.store.reopen(id), stage.store.sweep(0, 10)]);
        assert.equal(swept, reopened ? 0 : 1);
        const claimed = await stage.claim(type);
        assert.deepStrictEqual(
          claimed.map(({ input }) => input),
          reopened ? [{ rows: 3 }] : [],
        );
      }
    },
  },
  {
    name: "a reopening that is rolled back has not happened, one that commits has",
    needs: { transactions: true },
    async run(stage) {
      const { id, type } = await failedJob(stage);
      const before = await stage.state(id);
      const rollback = new Error("on purpose");
      const rolledBack = stage.transaction(async (store) => {
        assert.equal(await store.reopen(id), true);
        assert.equal((await store.get(id))?.status, "queued");
        throw rollback;
      });
      await assert.rejects(rolledBack, (error) => error === rollback);
      assert.deepStrictEqual(await stage.state(id), before);
      await stage.transaction(async (_store, tx) => {
        assert.equal(await jobsOf(tx).reopen(id), true);
      });
      assert.deepStrictEqual((await stage.claimOne(type)).input, { rows: 3 });
    },
  },
  {
    name: "an end that would be resumable and is rolled back leaves the job as it was",
    needs: { transactions: true },
    async run(stage) {
      const { id, lease } = await stage.begun();
      const rollback = new Error("on purpose");
      const rolledBack = stage.transaction(async (store) => {
        assert.equal(await store.finish(lease, { status: "failed", error: { code: "X", detail: "x" }, resumable: true }), true);
        assert.equal((await store.get(id))?.resumable, true);
        throw rollback;
      });
      await assert.rejects(rolledBack, (error) => error === rollback);
      assert.equal((await stage.state(id)).resumable, false);
      assert.equal(await stage.store.finish(lease, { status: "completed" }), true);
    },
  },
];
