import assert from "node:assert/strict";
import type { JobLease } from "../../storage/jobs.js";
import type { JobScenario } from "./scenario.js";
import type { JobStage } from "./stage.js";

/** What all four methods have to refuse, on a job that they must leave as it is. */
async function assertRefused(stage: JobStage, lease: JobLease): Promise<void> {
  const before = await stage.store.get(lease.id);
  const advance = { processed: 99, total: 99, counts: { stale: 1 }, cursor: "stale", entries: [{ position: 99, value: "stale" }] };
  assert.equal(await stage.store.advance(lease, advance), false, "advance");
  assert.equal(await stage.store.extend(lease, 60_000), "lost", "extend");
  assert.equal(await stage.store.release(lease, { delayMs: 0, failed: true }), false, "release");
  assert.equal(await stage.store.finish(lease, { status: "completed", result: "stale" }), false, "finish");
  assert.equal(await stage.store.finish(lease, { status: "failed", error: { code: "STALE", detail: "stale" } }), false, "finish");
  assert.deepStrictEqual(await stage.store.get(lease.id), before, "the job has changed");
  assert.deepStrictEqual(await stage.store.entries(lease.id, 0, 10), [], "an entry was kept");
}

export const leaseScenarios: readonly JobScenario[] = [
  {
    name: "a lease of a job that there is not is refused",
    async run(stage) {
      await assertRefused(stage, { id: stage.name(), fence: 1 });
    },
  },
  {
    name: "a lease of a job that nobody has claimed is refused",
    async run(stage) {
      const { id, type } = await stage.create();
      for (const fence of [0, 1]) await assertRefused(stage, { id, fence });
      assert.equal((await stage.claimOne(type)).attempts, 0);
    },
  },
  {
    name: "who lost the lease is refused everything, and nothing of it is kept",
    async run(stage) {
      const { stale, current } = await stage.takenOver();
      await assertRefused(stage, stale.lease);
      assert.deepStrictEqual(await stage.claim(stale.type), []);
      assert.equal(await stage.store.extend(current.lease, 5), "held");
      await stage.advance(20);
      const { cursor, attempts } = await stage.claimOne(stale.type);
      assert.deepStrictEqual([cursor, attempts], [undefined, 2]);
    },
  },
  {
    name: "a fence that was not given out yet is refused",
    async run(stage) {
      const { id, lease } = await stage.begun();
      await assertRefused(stage, { id, fence: lease.fence + 1 });
    },
  },
  {
    name: "a lease that was given back is refused, before somebody takes the job and after",
    async run(stage) {
      const { type, lease } = await stage.begun();
      assert.equal(await stage.store.release(lease, { delayMs: 0, failed: false }), true);
      await assertRefused(stage, lease);
      await stage.claimOne(type);
      await assertRefused(stage, lease);
    },
  },
  {
    name: "the lease of a job that has ended is refused, and the end stays the first",
    async run(stage) {
      const { id, lease } = await stage.begun();
      assert.equal(await stage.store.finish(lease, { status: "completed", result: "first" }), true);
      await assertRefused(stage, lease);
      assert.equal((await stage.state(id)).result, "first");
    },
  },
  {
    name: "a lease that is over but that nobody took still counts",
    async run(stage) {
      const advancing = await stage.overdue();
      assert.equal(await stage.store.advance(advancing.lease, { processed: 1, total: 2, counts: {}, cursor: 1 }), true);
      assert.equal((await stage.state(advancing.id)).processed, 1);
      const extending = await stage.overdue();
      assert.equal(await stage.store.extend(extending.lease, 60_000), "held");
      assert.deepStrictEqual(await stage.claim(extending.type), []);
      const releasing = await stage.overdue();
      assert.equal(await stage.store.release(releasing.lease, { delayMs: 0, failed: false }), true);
      const finishing = await stage.overdue();
      assert.equal(await stage.store.finish(finishing.lease, { status: "completed" }), true);
      assert.equal((await stage.state(finishing.id)).status, "completed");
    },
  },
  {
    name: "a lease that was extended is not over at its first end, and ends at its new one",
    async run(stage) {
      const { type, lease } = await stage.begun({}, 500);
      assert.equal(await stage.store.extend(lease, 60_000), "held");
      await stage.advance(520);
      assert.deepStrictEqual(await stage.claim(type), []);
      assert.equal(await stage.store.extend(lease, 5), "held");
      await stage.advance(20);
      assert.equal((await stage.claimOne(type)).attempts, 1);
    },
  },
  {
    name: "an extension changes nothing that a client sees",
    async run(stage) {
      const { id, lease } = await stage.begun();
      const before = await stage.state(id);
      assert.equal(await stage.store.extend(lease, 30_000), "held");
      assert.deepStrictEqual(await stage.state(id), before);
    },
  },
  {
    name: "a job that was given back is claimed again, with the fence one higher, and the try counts only if it failed",
    async run(stage) {
      for (const failed of [false, true]) {
        const { id, type, lease } = await stage.begun();
        assert.equal(await stage.store.release(lease, { delayMs: 0, failed }), true);
        const { status, attempts } = await stage.state(id);
        assert.deepStrictEqual([status, attempts], ["processing", 0]);
        const next = await stage.claimOne(type);
        assert.deepStrictEqual([next.attempts, next.lease.fence], [failed ? 1 : 0, lease.fence + 1]);
      }
    },
  },
  {
    name: "a try that ends with its lease counts also behind one that was given back without failing",
    async run(stage) {
      const { type, lease } = await stage.begun();
      assert.equal(await stage.store.release(lease, { delayMs: 0, failed: false }), true);
      assert.equal((await stage.claimOne(type, { leaseMs: 5 })).attempts, 0);
      await stage.advance(20);
      assert.equal((await stage.claimOne(type)).attempts, 1);
    },
  },
  {
    name: "a job that was given back for later waits so long",
    async run(stage) {
      const { type, lease } = await stage.begun();
      assert.equal(await stage.store.release(lease, { delayMs: 500, failed: true }), true);
      assert.deepStrictEqual(await stage.claim(type), []);
      await stage.advance(520);
      assert.equal((await stage.claimOne(type)).attempts, 1);
    },
  },
];
