import assert from "node:assert/strict";
import { failure, type SubscriberScenario, success } from "./stage.js";

export const recordScenarios: readonly SubscriberScenario[] = [
  {
    name: "a task that succeeds has ended, with its attempts",
    async run(stage) {
      const first = await stage.running();
      const running = await stage.store.get(first.lease.id);
      assert.deepStrictEqual([running?.state, running?.attempts, running?.endedAt], ["running", 0, undefined]);
      const lease = (running?.dueAt?.getTime() ?? 0) - (running?.createdAt.getTime() ?? 0);
      assert.ok(lease >= 59_000 && lease < 120_000, `a lease of ${lease} ms`);
      await stage.store.record(first.lease, failure);
      const waiting = await stage.store.get(first.lease.id);
      assert.deepStrictEqual([waiting?.state, waiting?.attempts, waiting?.lastError, waiting?.endedAt], ["pending", 1, "no connection", undefined]);
      const second = await stage.claimOne(first.name);
      assert.equal(await stage.store.record(second.lease, success), true);
      const ended = await stage.store.get(first.lease.id);
      assert.deepStrictEqual([ended?.state, ended?.attempts, ended?.lastError, ended?.dueAt], ["succeeded", 2, "no connection", undefined]);
      assert.ok(ended?.endedAt !== undefined && ended.endedAt >= ended.createdAt);
      assert.deepStrictEqual(await stage.claim(first.name), []);
      assert.equal(await stage.store.dueInMs([first.name]), undefined);
    },
  },
  {
    name: "a dead task has the error of its last attempt and is not claimed",
    async run(stage) {
      const { lease, name } = await stage.running();
      assert.equal(await stage.store.record(lease, { state: "dead", error: "refused: ä😀\n'\"" }), true);
      const dead = await stage.store.get(lease.id);
      assert.deepStrictEqual([dead?.state, dead?.attempts, dead?.lastError, dead?.dueAt], ["dead", 1, "refused: ä😀\n'\"", undefined]);
      assert.deepStrictEqual(await stage.claim(name), []);
      assert.deepStrictEqual(await stage.store.counts(name), { pending: 0, running: 0, succeeded: 0, dead: 1, canceled: 0 });
    },
  },
  {
    name: "an error of any characters is stored",
    async run(stage) {
      const { lease } = await stage.running();
      assert.equal(await stage.store.record(lease, { state: "dead", error: `a\0b${"x".repeat(10_000)}` }), true);
      assert.equal((await stage.store.get(lease.id))?.lastError, `ab${"x".repeat(10_000)}`);
    },
  },
];
