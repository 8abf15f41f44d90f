import assert from "node:assert/strict";
import type { JobLease } from "../../ground/storage/queue/jobs.js";
import type { JobScenario } from "./scenario.js";
import type { JobStage } from "./stage.js";

/** Asserts that all four methods reject a lease and leave the job unchanged. */
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
    name: "a lease of an unknown job is refused",
    async run(stage) {
      await assertRefused(stage, { id: stage.name(), fence: 1 });
    },
  },
  {
    name: "a lease of a job that was never claimed is refused",
    async run(stage) {
      const { id, type } = await stage.create();
      for (const fence of [0, 1]) await assertRefused(stage, { id, fence });
      assert.equal((await stage.claimOne(type)).attempts, 0);
    },
  },
  {
    name: "all writes with a lost lease are refused and store nothing",
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
    name: "laterInMs tells when the first job is due that waits for its time, or whose lease ends; ready jobs do not count",
    needs: { laterInMs: true },
    async run(stage) {
      const own = await stage.another();
      const later = async () => own.store.laterInMs?.();
      assert.equal(await later(), undefined);
      const first = await own.begun({}, 60_000);
      await own.create();
      const leaseMs = await later();
      assert.ok(leaseMs !== undefined && leaseMs > 30_000 && leaseMs <= 60_000, `${leaseMs}`);
      await own.store.release(first.lease, { delayMs: 20_000, failed: true });
      const pauseMs = await later();
      assert.ok(pauseMs !== undefined && pauseMs > 0 && pauseMs <= 20_000, `${pauseMs}`);
      const second = await own.begun({}, 5);
      await own.advance(20);
      assert.equal(await later(), 0);
      assert.equal((await own.claimOne(second.type)).attempts, 1);
      const again = await later();
      assert.ok(again !== undefined && again > 0 && again <= 20_000, `${again}`);
    },
  },
  {
    name: "a future fence is refused",
    async run(stage) {
      const { id, lease } = await stage.begun();
      await assertRefused(stage, { id, fence: lease.fence + 1 });
    },
  },
  {
    name: "what a claim has leased is released by the id of the claim, and no attempt is counted",
    needs: { unclaim: true },
    async run(stage) {
      const type = stage.name();
      for (let index = 0; index < 5; index++) await stage.create({ type });
      const [lost, kept] = [stage.name(), stage.name()];
      const first = await stage.claim(type, { max: 2, claimId: lost });
      const second = await stage.claim(type, { max: 2, claimId: kept });
      const third = await stage.claim(type, { max: 1 });
      const [finished, ...open] = first;
      assert.ok(finished !== undefined);
      assert.equal(await stage.store.finish(finished.lease, { status: "completed" }), true);
      assert.equal(await stage.store.unclaim?.(lost), 1);
      assert.equal(await stage.store.unclaim?.(lost), 0);
      assert.equal(await stage.store.unclaim?.(stage.name()), 0);
      for (const { lease } of open) await assertRefused(stage, lease);
      for (const { lease } of [...second, ...third]) assert.equal(await stage.store.extend(lease, 60_000), "held");
      const again = await stage.claimOne(type, { claimId: kept });
      assert.deepStrictEqual([again.id, again.attempts], [open[0]?.id, 0]);
      assert.equal(await stage.store.unclaim?.(lost), 0);
      assert.equal(await stage.store.extend(again.lease, 60_000), "held");
    },
  },
  {
    name: "a job that was taken over by a claim whose answer was lost keeps the attempts of its dead workers",
    needs: { unclaim: true },
    async run(stage) {
      const { type } = await stage.overdue();
      const claimId = stage.name();
      assert.equal((await stage.claimOne(type, { claimId })).attempts, 1);
      assert.equal(await stage.store.unclaim?.(claimId), 1);
      assert.equal((await stage.claimOne(type)).attempts, 1);
    },
  },
  {
    name: "a released lease is refused, before and after the next claim",
    async run(stage) {
      const { type, lease } = await stage.begun();
      assert.equal(await stage.store.release(lease, { delayMs: 0, failed: false }), true);
      await assertRefused(stage, lease);
      await stage.claimOne(type);
      await assertRefused(stage, lease);
    },
  },
  {
    name: "the lease of a job that has ended is refused, and its first end stays",
    async run(stage) {
      const { id, lease } = await stage.begun();
      assert.equal(await stage.store.finish(lease, { status: "completed", result: "first" }), true);
      await assertRefused(stage, lease);
      assert.equal((await stage.state(id)).result, "first");
    },
  },
  {
    name: "an expired lease stays valid until another worker takes over",
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
    name: "an extended lease expires at its new end, not at its first one",
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
    name: "extending a lease changes nothing that clients see",
    async run(stage) {
      const { id, lease } = await stage.begun();
      const before = await stage.state(id);
      assert.equal(await stage.store.extend(lease, 30_000), "held");
      assert.deepStrictEqual(await stage.state(id), before);
    },
  },
  {
    name: "a released job can be claimed again with the next fence, and its attempt counts only if it failed",
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
    name: "an attempt that ends by expiry counts, also after a release without failure",
    async run(stage) {
      const { type, lease } = await stage.begun();
      assert.equal(await stage.store.release(lease, { delayMs: 0, failed: false }), true);
      assert.equal((await stage.claimOne(type, { leaseMs: 5 })).attempts, 0);
      await stage.advance(20);
      assert.equal((await stage.claimOne(type)).attempts, 1);
    },
  },
  {
    name: "a job released with a delay waits for the delay",
    async run(stage) {
      const { type, lease } = await stage.begun();
      assert.equal(await stage.store.release(lease, { delayMs: 500, failed: true }), true);
      assert.deepStrictEqual(await stage.claim(type), []);
      await stage.advance(520);
      assert.equal((await stage.claimOne(type)).attempts, 1);
    },
  },
];
