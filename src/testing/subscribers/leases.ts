import assert from "node:assert/strict";
import { failure, type SubscriberScenario, success, together } from "./stage.js";

export const leaseScenarios: readonly SubscriberScenario[] = [
  {
    name: "a claim takes over an expired lease with the next attempt, and counts the first one as interrupted",
    async run(stage) {
      const first = await stage.running(5);
      await stage.advance(20);
      const second = await stage.claimOne(first.name);
      assert.equal(second.lease.id, first.lease.id);
      assert.ok(second.lease.fence > first.lease.fence);
      assert.deepStrictEqual([first.interrupted, second.attempt, second.interrupted], [0, 2, 1]);
      assert.equal((await stage.store.get(first.lease.id))?.attempts, 1);
      await stage.store.record(second.lease, failure);
      const third = await stage.claimOne(first.name);
      assert.deepStrictEqual([third.attempt, third.interrupted], [3, 1]);
    },
  },
  {
    name: "all writes with a lost lease are refused and change nothing",
    async run(stage) {
      const stale = await stage.running(5);
      await stage.advance(20);
      const current = await stage.claimOne(stale.name);
      const before = await stage.store.get(stale.lease.id);
      assert.equal(await stage.store.record(stale.lease, success), false);
      assert.equal(await stage.store.record(stale.lease, failure), false);
      assert.equal(await stage.store.release(stale.lease, 0), false);
      assert.deepStrictEqual(await stage.store.get(stale.lease.id), before);
      assert.equal(await stage.store.record(current.lease, success), true);
      assert.equal(await stage.store.record(current.lease, { state: "dead", error: "late" }), false);
      assert.equal(await stage.store.release(current.lease, 0), false);
      assert.equal(await stage.store.record({ id: stage.name(), fence: 1 }, success), false);
      assert.equal(await stage.state(stale.lease.id), "succeeded");
    },
  },
  {
    name: "an expired lease that was not taken over still counts",
    async run(stage) {
      const claimed = await stage.running(5);
      await stage.advance(20);
      await stage.dueBetween([claimed.name], 0, 0);
      assert.equal(await stage.store.record(claimed.lease, success), true);
      assert.deepStrictEqual(await stage.claim(claimed.name), []);
      const released = await stage.running(5);
      await stage.advance(20);
      assert.equal(await stage.store.release(released.lease, 0), true);
      assert.equal((await stage.claimOne(released.name)).interrupted, 0);
    },
  },
  {
    name: "a released task counts no attempt, and waits as long as it is told",
    async run(stage) {
      const first = await stage.running();
      assert.equal(await stage.store.release(first.lease, 0), true);
      assert.equal(await stage.state(first.lease.id), "pending");
      const second = await stage.claimOne(first.name);
      assert.deepStrictEqual([second.attempt, second.interrupted], [1, 0]);
      assert.ok(second.lease.fence > first.lease.fence);
      assert.equal(await stage.store.release(second.lease, 60_000), true);
      assert.deepStrictEqual(await stage.claim(first.name), []);
      await stage.dueBetween([first.name], 50_000, 60_000);
      assert.equal((await stage.store.get(first.lease.id))?.attempts, 0);
    },
  },
  {
    name: "what a claim has leased is released by its id and the name of the subscriber, and no attempt is counted",
    needs: { unclaim: true },
    async run(stage) {
      const name = await stage.register();
      const other = await stage.register();
      await stage.enqueue(name, 4);
      const [lost, kept] = [stage.name(), stage.name()];
      const [ended, open] = await stage.claim(name, { max: 2, claimId: lost });
      const rest = await stage.claim(name, { claimId: kept });
      assert.ok(ended !== undefined && open !== undefined && rest.length === 2);
      assert.equal(await stage.store.record(ended.lease, success), true);
      assert.equal(await stage.store.unclaim?.(other, stage.name()), 0);
      assert.equal(await stage.store.unclaim?.(name, lost), 1);
      assert.equal(await stage.store.unclaim?.(name, lost), 0);
      assert.equal(await stage.store.record(open.lease, success), false);
      const again = await stage.claimOne(name);
      assert.deepStrictEqual([again.lease.id, again.attempt, again.interrupted], [open.lease.id, 1, 0]);
      for (const { lease } of [...rest, again]) assert.equal(await stage.store.record(lease, success), true);
    },
  },
  {
    name: "the leases of this process survive a recovery of dead ones",
    async run(stage) {
      const claimed = await stage.running();
      await stage.store.recover?.();
      assert.deepStrictEqual(await stage.claim(claimed.name), []);
      assert.equal(await stage.store.record(claimed.lease, success), true);
    },
  },
  {
    name: "exactly one of 20 concurrent claims takes over an expired lease",
    async run(stage) {
      const { name } = await stage.running(5);
      await stage.advance(20);
      const claimed = (await together(() => stage.claim(name))).flat();
      assert.deepStrictEqual(
        claimed.map(({ attempt, interrupted }) => [attempt, interrupted]),
        [[2, 1]],
      );
    },
  },
  {
    name: "of 20 concurrent outcomes of one lease exactly one is stored",
    async run(stage) {
      const { lease } = await stage.running();
      const recorded = await together((index) => stage.store.record(lease, index % 2 === 0 ? success : failure));
      assert.equal(recorded.filter((isHeld) => isHeld).length, 1);
      assert.equal((await stage.store.get(lease.id))?.attempts, 1);
    },
  },
  {
    name: "each of 200 tasks goes to exactly one of four workers, and all are recorded",
    async run(stage) {
      const name = await stage.register();
      await together((tenant) => stage.enqueue(name, 25, { tenant: `tenant ${tenant}` }), 8);
      const claimed = await together(async () => {
        const ids: string[] = [];
        for (;;) {
          const some = await stage.claim(name, { max: 7 });
          if (some.length === 0) return ids;
          for (const { lease } of some) assert.equal(await stage.store.record(lease, success), true);
          ids.push(...some.map(({ lease }) => lease.id));
        }
      }, 4);
      assert.equal(claimed.flat().length, 200);
      assert.equal(new Set(claimed.flat()).size, 200);
      assert.equal((await stage.store.counts(name)).succeeded, 200);
    },
  },
];
