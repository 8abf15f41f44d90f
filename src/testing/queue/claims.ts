import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { assertCounted, assertRefused, claimOne, overdue, type QueueScenario, together } from "./queue.js";

export const claimScenarios: readonly QueueScenario[] = [
  {
    name: "a claim leases what is due and nothing else",
    async run(queue) {
      assert.deepStrictEqual(await queue.claim(), []);
      const [id] = await queue.add();
      const first = await claimOne(queue);
      assert.equal(first.lease.id, id);
      assert.ok(Number.isSafeInteger(first.lease.fence));
      assertCounted(first, 0);
      await queue.advance(20);
      assert.deepStrictEqual(await queue.claim(), []);
      const [later] = await queue.add();
      assert.equal((await claimOne(queue)).lease.id, later);
    },
  },
  {
    name: "work of one tenant is claimed by age, at most the requested number",
    async run(queue) {
      const ids: string[] = [];
      for (let count = 0; count < 12; count++) {
        ids.push(...(await queue.add()));
        await queue.advance(2);
      }
      const claim = async (max: number) => (await queue.claim({ max })).map(({ lease }) => lease.id);
      assert.deepStrictEqual(await claim(5), ids.slice(0, 5));
      assert.deepStrictEqual(await claim(1), ids.slice(5, 6));
      assert.deepStrictEqual(await claim(50), ids.slice(6));
    },
  },
  {
    name: "each claim after an expired lease has a higher fence, and counts one more attempt",
    async run(queue) {
      const first = await overdue(queue);
      let { fence } = first.lease;
      for (const count of [1, 2, 3]) {
        const next = await claimOne(queue, { leaseMs: 5 });
        assert.equal(next.lease.id, first.lease.id);
        assert.ok(next.lease.fence > fence);
        assertCounted(next, count, count);
        assert.deepStrictEqual(next.input, first.input);
        fence = next.lease.fence;
        await queue.advance(20);
      }
    },
  },
  {
    name: "exactly one of 20 concurrent claims takes over an expired lease",
    async run(queue) {
      for (let round = 0; round < 5; round++) {
        const { lease } = await overdue(queue);
        const [next, ...more] = (await together(() => queue.claim())).flat();
        assert.ok(next !== undefined);
        assert.deepStrictEqual(more, []);
        assert.ok(next.lease.id === lease.id && next.lease.fence > lease.fence);
        assertCounted(next, 1, 1);
      }
    },
  },
  {
    name: "of a concurrent end and takeover exactly one succeeds",
    async run(queue) {
      for (let round = 0; round < 10; round++) {
        const { lease } = await overdue(queue);
        const calls = [() => queue.end(lease), async () => (await queue.claim()).length === 1] as const;
        // The order of the calls alternates, because the first call may always win.
        const first = round % 2;
        const answers = await Promise.all(first === 0 ? [calls[0](), calls[1]()] : [calls[1](), calls[0]()]);
        assert.equal(answers[0], !answers[1]);
        assert.equal(await queue.end(lease), false);
        assert.deepStrictEqual(await queue.claim(), []);
      }
    },
  },
  {
    name: "each of 200 goes to exactly one of 20 workers that claim five at a time, and all end",
    async run(queue) {
      for (let tenant = 0; tenant < 8; tenant++) await queue.add(25, `tenant ${tenant}`);
      const claimed = await together(async () => {
        const ids: string[] = [];
        for (;;) {
          const some = await queue.claim({ max: 5 });
          assert.ok(some.length <= 5);
          if (some.length === 0) return ids;
          for (const { lease } of some) assert.equal(await queue.end(lease), true);
          ids.push(...some.map(({ lease }) => lease.id));
        }
      });
      assert.equal(claimed.flat().length, 200);
      assert.equal(new Set(claimed.flat()).size, 200);
    },
  },
  {
    name: "what a claim has leased is released by the id of the claim, and no attempt is counted",
    needs: { unclaim: true },
    async run(queue) {
      await queue.add(5);
      const [lost, kept] = [randomUUID(), randomUUID()];
      const first = await queue.claim({ max: 2, claimId: lost });
      const others = [...(await queue.claim({ max: 2, claimId: kept })), ...(await queue.claim({ max: 1 }))];
      const [ended, open] = first;
      assert.ok(ended !== undefined && open !== undefined && others.length === 3);
      assert.equal(await queue.end(ended.lease), true);
      assert.equal(await queue.unclaim(randomUUID()), 0);
      assert.equal(await queue.unclaim(lost), 1);
      assert.equal(await queue.unclaim(lost), 0);
      await assertRefused(queue, open.lease);
      const again = await claimOne(queue, { claimId: kept });
      assert.equal(again.lease.id, open.lease.id);
      assertCounted(again, 0);
      assert.equal(await queue.unclaim(lost), 0);
      for (const { lease } of [...others, again]) assert.equal(await queue.end(lease), true);
    },
  },
  {
    name: "work that was taken over by a claim whose answer was lost keeps the attempts of its dead workers",
    needs: { unclaim: true },
    async run(queue) {
      await overdue(queue);
      const claimId = randomUUID();
      assertCounted(await claimOne(queue, { claimId }), 1, 1);
      assert.equal(await queue.unclaim(claimId), 1);
      assertCounted(await claimOne(queue), 1, 1);
    },
  },
];
