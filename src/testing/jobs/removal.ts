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
];
