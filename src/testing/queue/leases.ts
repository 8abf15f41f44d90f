import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { assertCounted, assertRefused, claimOne, drain, held, overdue, type QueueScenario } from "./queue.js";

export const leaseScenarios: readonly QueueScenario[] = [
  {
    name: "a lease of unknown work, or of work that was never claimed, is refused",
    async run(queue) {
      await assertRefused(queue, { id: randomUUID(), fence: 1 });
      const [id = ""] = await queue.add();
      for (const fence of [0, 1]) await assertRefused(queue, { id, fence });
      assertCounted(await claimOne(queue), 0);
    },
  },
  {
    name: "a future fence is refused",
    async run(queue) {
      const { lease } = await held(queue);
      await assertRefused(queue, { ...lease, fence: lease.fence + 1 });
      assert.equal(await queue.end(lease), true);
    },
  },
  {
    name: "all writes with a lease that another worker took over are refused, and store nothing",
    async run(queue) {
      const stale = await overdue(queue);
      const current = await claimOne(queue);
      await assertRefused(queue, stale.lease);
      assert.deepStrictEqual(await queue.claim(), []);
      assert.equal(await queue.fail(current.lease, 0), true);
      const next = await claimOne(queue);
      assertCounted(next, 2, 1);
      assert.deepStrictEqual(next.input, stale.input);
      for (const { lease } of [stale, current]) await assertRefused(queue, lease);
      assert.equal(await queue.end(next.lease), true);
    },
  },
  {
    name: "a released lease is refused, before and after the next claim",
    async run(queue) {
      const first = await held(queue);
      assert.equal(await queue.release(first.lease, 0), true);
      await assertRefused(queue, first.lease);
      const next = await claimOne(queue);
      assert.ok(next.lease.fence > first.lease.fence);
      await assertRefused(queue, first.lease);
      assert.equal(await queue.end(next.lease), true);
    },
  },
  {
    name: "work that has ended is not claimed, its lease is refused, and its first end stays",
    async run(queue) {
      for (let end = 0; end < 2; end++) {
        const { lease } = await held(queue, 5);
        assert.equal(await queue.end(lease), true);
        await assertRefused(queue, lease);
        await queue.advance(20);
        assert.deepStrictEqual(await queue.claim(), []);
        await assertRefused(queue, lease);
      }
    },
  },
  {
    name: "an expired lease stays valid until another worker takes over",
    async run(queue) {
      for (const [name, write] of Object.entries(queue.writes)) {
        const { lease } = await overdue(queue);
        assert.equal(await write(lease), true, name);
        await drain(queue);
      }
    },
  },
  {
    name: "released work is due after its delay, and no attempt is counted",
    async run(queue) {
      const first = await overdue(queue);
      assert.equal(await queue.release(first.lease, 0), true);
      const second = await claimOne(queue);
      assertCounted(second, 0);
      assert.equal(await queue.release(second.lease, 500), true);
      assert.deepStrictEqual(await queue.claim(), []);
      await queue.advance(520);
      const third = await claimOne(queue, { leaseMs: 5 });
      assertCounted(third, 0);
      await queue.advance(20);
      assertCounted(await claimOne(queue), 1, 1);
    },
  },
  {
    name: "work whose attempt failed is due after its delay, and the attempt counts",
    async run(queue) {
      const first = await held(queue);
      assert.equal(await queue.fail(first.lease, 0), true);
      const second = await claimOne(queue);
      assertCounted(second, 1);
      assert.ok(second.lease.fence > first.lease.fence);
      assert.equal(await queue.fail(second.lease, 500), true);
      assert.deepStrictEqual(await queue.claim(), []);
      await queue.advance(520);
      assertCounted(await claimOne(queue), 2);
    },
  },
];
