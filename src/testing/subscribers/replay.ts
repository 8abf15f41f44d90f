import assert from "node:assert/strict";
import { type SubscriberScenario, success } from "./stage.js";

export const replayScenarios: readonly SubscriberScenario[] = [
  {
    name: "a task that ended runs again after a replay, with its first attempt, and its event is unchanged",
    async run(stage) {
      const first = await stage.running(5);
      await stage.advance(20);
      const second = await stage.claimOne(first.name);
      await stage.store.record(second.lease, { state: "dead", error: "no" });
      assert.equal(await stage.store.replay([first.lease.id, first.lease.id, stage.name()]), 1);
      const task = await stage.store.get(first.lease.id);
      assert.deepStrictEqual([task?.state, task?.attempts, task?.lastError, task?.endedAt], ["pending", 0, undefined, undefined]);
      await stage.dueBetween([first.name], 0, 0);
      const again = await stage.claimOne(first.name);
      assert.deepStrictEqual([again.attempt, again.interrupted, again.event.id], [1, 0, first.event.id]);
      for (const { lease } of [first, second]) assert.equal(await stage.store.record(lease, success), false);
      assert.equal(await stage.store.record(again.lease, success), true);
      assert.equal(await stage.store.replay([first.lease.id]), 1);
      assert.equal(await stage.state(first.lease.id), "pending");
    },
  },
  {
    name: "tasks that are pending or running are not replayed",
    async run(stage) {
      const running = await stage.running();
      const [pending = ""] = await stage.enqueue(running.name);
      const before = [await stage.store.get(running.lease.id), await stage.store.get(pending)];
      assert.equal(await stage.store.replay([running.lease.id, pending]), 0);
      assert.deepStrictEqual([await stage.store.get(running.lease.id), await stage.store.get(pending)], before);
      assert.equal(await stage.store.replay([]), 0);
    },
  },
  {
    name: "canceled tasks are replayed when their subscriber is there again, not before",
    async run(stage) {
      const name = await stage.register();
      const [id = ""] = await stage.enqueue(name);
      await stage.advance(2);
      await stage.store.retire(0);
      assert.equal(await stage.state(id), "canceled");
      assert.equal(await stage.store.replay([id]), 0);
      await stage.store.touch([name]);
      assert.equal(await stage.state(id), "canceled");
      assert.equal(await stage.store.replay([id]), 1);
      assert.equal((await stage.claimOne(name)).lease.id, id);
    },
  },
];
