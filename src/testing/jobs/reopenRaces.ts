import assert from "node:assert/strict";
import { together } from "../queue/queue.js";
import { rolledBack } from "../queue/rolledBack.js";
import type { JobScenario } from "./scenario.js";
import { type JobStage, jobsOf } from "./stage.js";

/** A resumable job that failed. */
async function failedJob(stage: JobStage): Promise<{ readonly id: string; readonly type: string }> {
  const { id, type, lease } = await stage.begun();
  assert.equal(await stage.store.finish(lease, { status: "failed", error: { code: "X", detail: "x" }, resumable: true }), true);
  return { id, type };
}

export const reopenRaceScenarios: readonly JobScenario[] = [
  {
    name: "of 20 concurrent reopens exactly one succeeds, and one worker gets the job",
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
    name: "a concurrent reopen and remove leave either a complete job or none",
    async run(stage) {
      for (let round = 0; round < 10; round++) {
        const { id, type } = await failedJob(stage);
        const calls = [() => stage.store.reopen(id), () => stage.store.remove(id)] as const;
        // The order of the calls alternates, because the first call may always win.
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
    name: "a concurrent reopen and sweep leave either a complete job or none",
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
    name: "a reopen that is rolled back changes nothing, one that commits reopens the job",
    needs: { transactions: true },
    async run(stage) {
      const { id, type } = await failedJob(stage);
      const before = await stage.state(id);
      await rolledBack(stage, async (store) => {
        assert.equal(await store.reopen(id), true);
        assert.equal((await store.get(id))?.status, "queued");
      });
      assert.deepStrictEqual(await stage.state(id), before);
      await stage.transaction(async (_store, tx) => {
        assert.equal(await jobsOf(tx).reopen(id), true);
      });
      assert.deepStrictEqual((await stage.claimOne(type)).input, { rows: 3 });
    },
  },
  {
    name: "a resumable end that is rolled back changes nothing",
    needs: { transactions: true },
    async run(stage) {
      const { id, lease } = await stage.begun();
      await rolledBack(stage, async (store) => {
        assert.equal(await store.finish(lease, { status: "failed", error: { code: "X", detail: "x" }, resumable: true }), true);
        assert.equal((await store.get(id))?.resumable, true);
      });
      assert.equal((await stage.state(id)).resumable, false);
      assert.equal(await stage.store.finish(lease, { status: "completed" }), true);
    },
  },
];
