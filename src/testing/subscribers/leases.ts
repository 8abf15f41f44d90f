import assert from "node:assert/strict";
import { together } from "../queue/queue.js";
import { failure, type SubscriberScenario, success } from "./stage.js";

export const leaseScenarios: readonly SubscriberScenario[] = [
  {
    name: "a task shows an interrupted attempt, and none that was released",
    async run(stage) {
      const first = await stage.running(5);
      const attempts = async () => (await stage.store.get(first.lease.id))?.attempts;
      assert.equal(await stage.store.release(first.lease, 0), true);
      assert.deepStrictEqual([await stage.state(first.lease.id), await attempts()], ["pending", 0]);
      await stage.claimOne(first.name, { leaseMs: 5 });
      await stage.advance(20);
      const { lease } = await stage.claimOne(first.name);
      assert.equal(await attempts(), 1);
      assert.equal(await stage.store.release(lease, 60_000), true);
      assert.deepStrictEqual([await stage.state(lease.id), await attempts()], ["pending", 1]);
      await stage.dueBetween([first.name], 50_000, 60_000);
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
    name: "of 20 concurrent outcomes of one lease exactly one is stored",
    async run(stage) {
      const { lease } = await stage.running();
      const recorded = await together((index) => stage.store.record(lease, index % 2 === 0 ? success : failure));
      assert.equal(recorded.filter((isHeld) => isHeld).length, 1);
      assert.equal((await stage.store.get(lease.id))?.attempts, 1);
    },
  },
];
