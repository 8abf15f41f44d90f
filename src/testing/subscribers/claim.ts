import assert from "node:assert/strict";
import { failure, type SubscriberScenario, success } from "./stage.js";

export const claimScenarios: readonly SubscriberScenario[] = [
  {
    name: "a claim takes tasks of the named subscriber only, and each once",
    async run(stage) {
      const [name, other] = [await stage.register(), await stage.register()];
      const [id] = await stage.enqueue(name);
      await stage.enqueue(other, 2);
      assert.equal((await stage.claimOne(name)).lease.id, id);
      assert.deepStrictEqual(await stage.claim(name), []);
      assert.deepStrictEqual(await stage.claim(stage.name()), []);
      assert.deepStrictEqual(await stage.claim(other, { max: 0 }), []);
      assert.deepStrictEqual(await stage.store.counts(name), { pending: 0, running: 1, succeeded: 0, dead: 0, canceled: 0 });
      assert.equal((await stage.claim(other)).length, 2);
    },
  },
  {
    name: "a task that failed is claimed again when it is due, after those that wait longer",
    async run(stage) {
      const name = await stage.register();
      const [first = "", second = ""] = [...(await stage.enqueue(name)), ...(await stage.enqueue(name))];
      const claimed = await stage.claim(name, { max: 1 });
      assert.equal(claimed[0]?.lease.id, first);
      await stage.advance(2);
      for (const { lease } of claimed) assert.equal(await stage.store.record(lease, { ...failure, delayMs: 500 }), true);
      assert.deepStrictEqual(
        (await stage.claim(name)).map(({ lease }) => lease.id),
        [second],
      );
      await stage.advance(520);
      const again = await stage.claimOne(name);
      assert.deepStrictEqual([again.lease.id, again.attempt, again.interrupted], [first, 2, 0]);
    },
  },
  {
    name: "a task whose delay is over is claimed although others wait with longer delays",
    async run(stage) {
      const name = await stage.register();
      await stage.enqueue(name, 40);
      const claimed = await stage.claim(name);
      assert.equal(claimed.length, 40);
      for (const [index, { lease }] of claimed.entries()) await stage.store.record(lease, { ...failure, delayMs: index === 17 ? 20 : 60_000 });
      await stage.advance(30);
      assert.equal((await stage.claimOne(name)).lease.id, claimed[17]?.lease.id);
    },
  },
  {
    name: "dueInMs tells when a claim can succeed: now, after a delay, at the end of a lease, or never",
    async run(stage) {
      const [name, other] = [await stage.register(), await stage.register()];
      assert.equal(await stage.store.dueInMs([name, other]), undefined);
      assert.equal(await stage.store.dueInMs([]), undefined);
      await stage.enqueue(name, 2);
      assert.equal(await stage.store.dueInMs([name, other]), 0);
      assert.equal(await stage.store.dueInMs([other]), undefined);
      const [first, second] = await stage.claim(name);
      assert.ok(first !== undefined && second !== undefined);
      await stage.dueBetween([other, name], 50_000, 60_000);
      await stage.store.record(first.lease, { ...failure, delayMs: 30_000 });
      await stage.dueBetween([name], 20_000, 30_000);
      await stage.store.record(second.lease, success);
      await stage.dueBetween([name], 20_000, 30_000);
      await stage.enqueue(other);
      await stage.dueBetween([name, other], 0, 0);
      await stage.claim(other, { leaseMs: 5 });
      await stage.advance(20);
      await stage.dueBetween([other], 0, 0);
    },
  },
];
