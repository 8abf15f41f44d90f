import assert from "node:assert/strict";
import type { JobScenario } from "./scenario.js";

const entries = [{ position: 1, value: "one" }] as const;

export const removalScenarios: readonly JobScenario[] = [
  {
    name: "a job that has ended is removed with its entries, once",
    async run(stage) {
      const { id } = await stage.ended({ entries });
      assert.equal(await stage.store.remove(id), true);
      assert.equal(await stage.store.get(id), undefined);
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), []);
      assert.equal(await stage.store.remove(id), false);
    },
  },
  {
    name: "a job that was canceled in the queue can be removed",
    async run(stage) {
      const { id } = await stage.create();
      assert.equal(await stage.store.cancel(id), "canceled");
      assert.equal(await stage.store.remove(id), true);
    },
  },
  {
    name: "a job that has not ended is not removed, whether it is queued, processing, canceled or released",
    async run(stage) {
      const waiting = await stage.create({ entries });
      const running = await stage.begun({ entries });
      const canceled = await stage.begun({ entries });
      assert.equal(await stage.store.cancel(canceled.id), "requested");
      const released = await stage.begun({ entries });
      assert.equal(await stage.store.release(released.lease, { delayMs: 0, failed: true }), true);
      for (const { id } of [waiting, running, canceled, released]) {
        assert.equal(await stage.store.remove(id), false);
        await stage.state(id);
        assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entries);
      }
      assert.equal(await stage.store.remove(stage.name()), false);
    },
  },
  {
    name: "the id of a removed job is free, and nothing of the old job is left",
    async run(stage) {
      const { id, lease } = await stage.ended({ entries });
      assert.equal(await stage.store.remove(id), true);
      const { type } = await stage.create({ id, input: "new" });
      const { input, attempts, cancelRequested, result } = await stage.claimOne(type, { leaseMs: 5 });
      assert.deepStrictEqual({ input, attempts, cancelRequested, result }, { input: "new", attempts: 0, cancelRequested: false, result: undefined });
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), []);
      assert.equal(lease.id, id);
    },
  },
  {
    name: "a sweep removes jobs that ended long enough ago with their entries, and nothing else",
    async run(shared) {
      const stage = await shared.another();
      const old = [await stage.ended({ entries }), await stage.ended({ entries })];
      const [waiting, running] = [await stage.create({ entries }), await stage.begun({ entries })];
      const keepMs = 1_000;
      await stage.advance(keepMs + 50);
      const fresh = await stage.ended({ entries });
      assert.equal(await stage.store.sweep(keepMs, 100), 2);
      for (const { id } of old) {
        assert.equal(await stage.store.get(id), undefined);
        assert.deepStrictEqual(await stage.store.entries(id, 0, 10), []);
      }
      for (const { id } of [waiting, running, fresh]) {
        await stage.state(id);
        assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entries);
      }
      assert.equal(await stage.store.sweep(keepMs, 100), 0);
    },
  },
  {
    name: "a sweep removes at most the given number, those that ended first",
    async run(shared) {
      const stage = await shared.another();
      const ids: string[] = [];
      for (let count = 0; count < 5; count++) {
        ids.push((await stage.ended()).id);
        await stage.advance(5);
      }
      assert.equal(await stage.store.sweep(0, 2), 2);
      const left = await Promise.all(ids.map(async (id) => (await stage.store.get(id)) !== undefined));
      assert.deepStrictEqual(left, [false, false, true, true, true]);
      assert.equal(await stage.store.sweep(0, 2), 2);
      assert.equal(await stage.store.sweep(0, 2), 1);
      assert.equal(await stage.store.sweep(0, 2), 0);
    },
  },
];
