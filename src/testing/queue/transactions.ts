import assert from "node:assert/strict";
import { assertCounted, assertRefused, claimOne, held, overdue, type QueueScenario } from "./queue.js";
import { rolledBack } from "./rolledBack.js";

const needs = { transactions: true } as const;

export const transactionScenarios: readonly QueueScenario[] = [
  {
    name: "work of a transaction can be claimed after its commit, and never if it is rolled back",
    needs,
    async run(queue) {
      const added: string[] = [];
      let outside: Promise<number> | undefined;
      await rolledBack(queue, async (inner) => {
        added.push(...(await inner.add()));
        // Not awaited: a store with one connection only answers after the transaction.
        outside = queue.claim().then(({ length }) => length);
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      });
      assert.equal(await outside, 0);
      assert.deepStrictEqual(await queue.claim(), []);
      assert.equal(await queue.find(added[0] ?? ""), undefined);
      await queue.transaction(async (inner) => {
        added.push(...(await inner.add()));
      });
      assert.equal((await claimOne(queue)).lease.id, added[1]);
    },
  },
  {
    name: "claims, releases, ends and sweeps that are rolled back change nothing",
    needs,
    sweeps: true,
    async run(queue) {
      const [ended, running] = [await held(queue), await held(queue)];
      assert.equal(await queue.end(ended.lease), true);
      const [waiting = ""] = await queue.add();
      await queue.advance(20);
      const find = () => Promise.all([ended.lease.id, running.lease.id, waiting].map((id) => queue.find(id)));
      const before = await find();
      await rolledBack(queue, async (inner) => {
        assert.equal((await claimOne(inner)).lease.id, waiting);
        assert.equal(await inner.release(running.lease, 0), true);
        assert.equal(await inner.end(running.lease), false);
      });
      await rolledBack(queue, async (inner) => {
        assert.equal(await inner.end(running.lease), true);
        assert.equal(await inner.end(running.lease), false);
      });
      await rolledBack(queue, async (inner) => assert.equal(await inner.sweep(0, 10), 1));
      assert.deepStrictEqual(await find(), before);
      const next = await claimOne(queue);
      assert.equal(next.lease.id, waiting);
      assertCounted(next, 0);
      assert.equal(await queue.end(running.lease), true);
    },
  },
  {
    name: "a lost lease is refused inside a transaction, which stays usable",
    needs,
    async run(queue) {
      const stale = await overdue(queue);
      await claimOne(queue);
      const before = await queue.find(stale.lease.id);
      const added: string[] = [];
      await queue.transaction(async (inner) => {
        await assertRefused(inner, stale.lease);
        added.push(...(await inner.add()));
      });
      assert.deepStrictEqual(await queue.find(stale.lease.id), before);
      assert.equal((await claimOne(queue)).lease.id, added[0]);
    },
  },
];
