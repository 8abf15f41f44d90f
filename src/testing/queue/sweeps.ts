import assert from "node:assert/strict";
import { held, type QueueScenario } from "./queue.js";

export const sweepScenarios: readonly QueueScenario[] = [
  {
    name: "a sweep removes all of the work that ended long enough ago, and nothing else",
    sweeps: true,
    async run(queue) {
      const old = [await held(queue), await held(queue)].map(({ lease }) => lease);
      for (const lease of old) assert.equal(await queue.end(lease), true);
      const failed = await held(queue);
      assert.equal(await queue.fail(failed.lease, 60_000), true);
      const running = await held(queue);
      const keepMs = 1_000;
      await queue.advance(keepMs + 50);
      const fresh = await held(queue);
      assert.equal(await queue.end(fresh.lease), true);
      await queue.advance(2);
      const [waiting = ""] = await queue.add();
      const kept = [failed.lease.id, running.lease.id, fresh.lease.id, waiting];
      const before = await Promise.all(kept.map((id) => queue.find(id)));
      assert.equal(await queue.sweep(keepMs, 100), 2);
      for (const { id } of old) assert.equal(await queue.find(id), undefined);
      assert.deepStrictEqual(await Promise.all(kept.map((id) => queue.find(id))), before);
      assert.equal(await queue.sweep(keepMs, 100), 0);
    },
  },
  {
    name: "a sweep removes at most the given number, those that ended first",
    sweeps: true,
    async run(queue) {
      await queue.add(5);
      // They do not end in the order of their creation.
      const leases = (await queue.claim()).map(({ lease }) => lease).reverse();
      for (const lease of leases) {
        assert.equal(await queue.end(lease), true);
        await queue.advance(5);
      }
      assert.equal(await queue.sweep(0, 2), 2);
      const left = await Promise.all(leases.map(async ({ id }) => (await queue.find(id)) !== undefined));
      assert.deepStrictEqual(left, [false, false, true, true, true]);
      for (const count of [2, 1, 0]) assert.equal(await queue.sweep(0, 2), count);
    },
  },
];
