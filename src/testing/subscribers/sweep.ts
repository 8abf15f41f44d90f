import assert from "node:assert/strict";
import { failure, type SubscriberScenario, success } from "./stage.js";

export const sweepScenarios: readonly SubscriberScenario[] = [
  {
    name: "an event stays until its last task is removed",
    async run(stage) {
      const [first, second] = [await stage.register(), await stage.register()];
      await stage.store.enqueue([stage.eventFor([first, second], { body: Buffer.from("shared") })]);
      await stage.store.record((await stage.claimOne(first)).lease, success);
      await stage.advance(20);
      while ((await stage.store.sweep(10, 100)) > 0);
      assert.equal((await stage.store.list({ name: first, limit: 1 })).length, 0);
      const { lease, event } = await stage.claimOne(second);
      assert.equal(Buffer.from(event.body).toString(), "shared");
      assert.equal((await stage.store.event(lease.id))?.id, event.id);
    },
  },
  {
    name: "a sweep cancels open tasks of retired subscribers, but none that a process holds",
    async run(stage) {
      const name = await stage.register();
      await stage.enqueue(name, 3);
      const [failed, expired, held] = [
        await stage.claim(name, { max: 1 }),
        await stage.claim(name, { max: 1, leaseMs: 30 }),
        await stage.claim(name, { max: 1 }),
      ].flat();
      assert.ok(failed !== undefined && expired !== undefined && held !== undefined);
      await stage.advance(2);
      await stage.store.retire(0);
      // It ended after its subscriber was retired.
      assert.equal(await stage.store.record(failed.lease, failure), true);
      await stage.advance(40);
      await stage.store.sweep(60_000, 1_000);
      const states = await Promise.all([failed, expired, held].map(({ lease }) => stage.state(lease.id)));
      assert.deepStrictEqual(states, ["canceled", "canceled", "running"]);
      assert.equal(await stage.store.record(expired.lease, success), false);
      assert.equal(await stage.store.record(held.lease, success), true);
    },
  },
  {
    name: "many pending tasks of a retired subscriber are all canceled",
    async run(stage) {
      const name = await stage.register();
      for (let chunk = 0; chunk < 3; chunk++) await stage.enqueue(name, 700, { tenant: `tenant ${chunk}` });
      await stage.advance(2);
      await stage.store.retire(0);
      assert.deepStrictEqual(await stage.store.counts(name), { pending: 0, running: 0, succeeded: 0, dead: 0, canceled: 2_100 });
    },
  },
];
