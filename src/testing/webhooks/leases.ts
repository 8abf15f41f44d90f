import assert from "node:assert/strict";
import { failure, outcome, type WebhookScenario } from "./stage.js";

export const leaseScenarios: readonly WebhookScenario[] = [
  {
    name: "a claim takes over an expired lease with the next attempt, and the log marks the first as interrupted",
    async run(stage) {
      const first = await stage.sending(5);
      await stage.advance(20);
      const second = await stage.claimOne();
      assert.equal(second.lease.id, first.lease.id);
      assert.ok(second.lease.fence > first.lease.fence);
      assert.deepStrictEqual([first.interrupted, second.attempt, second.interrupted], [0, 2, 1]);
      const [interrupted, ...more] = await stage.deliveries.attempts(first.lease.id);
      assert.deepStrictEqual(more, []);
      assert.deepStrictEqual([interrupted?.n, interrupted?.interrupted, interrupted?.status, interrupted?.latencyMs], [1, true, undefined, 0]);
      const { attempts, lastAttemptAt } = (await stage.deliveries.get(first.lease.id)) ?? {};
      assert.deepStrictEqual([attempts, lastAttemptAt], [1, interrupted?.startedAt]);
      await stage.record(second, failure);
      const third = await stage.claimOne();
      assert.deepStrictEqual([third.attempt, third.interrupted], [3, 1]);
    },
  },
  {
    name: "all writes with a lost lease are refused and change nothing",
    async run(stage) {
      const stale = await stage.sending(5);
      await stage.advance(20);
      const current = await stage.claimOne();
      const before = [await stage.deliveries.get(stale.lease.id), await stage.found(stale.webhook.id)];
      assert.equal(await stage.deliveries.record(stale.lease, outcome({ failures: "add", disable: "gone", pauseMs: 10 })), undefined);
      assert.equal(await stage.deliveries.release(stale.lease, 0), false);
      assert.deepStrictEqual([await stage.deliveries.get(stale.lease.id), await stage.found(stale.webhook.id)], before);
      assert.equal((await stage.deliveries.attempts(stale.lease.id)).length, 1);
      assert.equal((await stage.record(current, {})).state, "succeeded");
    },
  },
  {
    name: "an expired lease stays valid until another worker takes over",
    async run(stage) {
      const claimed = await stage.sending(5);
      await stage.advance(20);
      assert.equal((await stage.record(claimed, {})).state, "succeeded");
      assert.deepStrictEqual(await stage.claim(), []);
    },
  },
  {
    name: "an outcome is recorded once",
    async run(stage) {
      const claimed = await stage.sending();
      await stage.record(claimed, {});
      assert.equal(await stage.deliveries.record(claimed.lease, outcome({ next: { state: "dead" } })), undefined);
      assert.equal(await stage.deliveries.release(claimed.lease, 0), false);
      assert.equal(await stage.state(claimed.lease.id), "succeeded");
      assert.equal(await stage.deliveries.record({ id: stage.name(), fence: 1 }, outcome()), undefined);
    },
  },
  {
    name: "a released delivery waits for its delay, and no attempt is counted",
    async run(stage) {
      const claimed = await stage.sending();
      assert.equal(await stage.deliveries.release(claimed.lease, 500), true);
      assert.equal(await stage.state(claimed.lease.id), "pending");
      assert.deepStrictEqual(await stage.claim(), []);
      await stage.advance(510);
      const again = await stage.claimOne();
      assert.equal(again.attempt, 1);
      assert.deepStrictEqual(await stage.deliveries.attempts(claimed.lease.id), []);
      assert.equal((await stage.found(claimed.webhook.id)).consecutiveFailures, 0);
      assert.equal(await stage.deliveries.record(claimed.lease, outcome(failure)), undefined);
    },
  },
  {
    name: "what a claim has leased is released by the id of the claim, and no attempt is counted",
    needs: { unclaim: true },
    async run(stage) {
      const webhook = await stage.register();
      await stage.enqueue(webhook.id, 4);
      const [lost, kept] = [stage.name(), stage.name()];
      const [ended, open] = await stage.claim({ max: 2, claimId: lost });
      const rest = await stage.claim({ claimId: kept });
      assert.ok(ended !== undefined && open !== undefined && rest.length === 2);
      await stage.record(ended, {});
      assert.equal(await stage.deliveries.unclaim?.(stage.name()), 0);
      assert.equal(await stage.deliveries.unclaim?.(lost), 1);
      assert.equal(await stage.deliveries.unclaim?.(lost), 0);
      assert.equal(await stage.deliveries.record(open.lease, outcome()), undefined);
      const again = await stage.claimOne();
      assert.deepStrictEqual([again.lease.id, again.attempt, again.interrupted], [open.lease.id, 1, 0]);
      assert.deepStrictEqual(await stage.deliveries.attempts(open.lease.id), []);
      for (const claimed of [...rest, again]) assert.equal((await stage.record(claimed, {})).state, "succeeded");
    },
  },
  {
    name: "a delivery of a deactivated webhook is canceled when it is released or would be retried",
    async run(stage) {
      for (const how of ["release", "record", "unclaim"] as const) {
        if (how === "unclaim" && stage.deliveries.unclaim === undefined) continue;
        const claimId = stage.name();
        const { lease, webhook } = await stage.sending(60_000, {}, { claimId });
        await stage.webhooks.update(webhook.id, { active: false });
        assert.equal(await stage.state(lease.id), "sending");
        if (how === "release") assert.equal(await stage.deliveries.release(lease, 0), true);
        else if (how === "unclaim") assert.equal(await stage.deliveries.unclaim?.(claimId), 1);
        else assert.equal((await stage.deliveries.record(lease, outcome(failure)))?.state, "canceled");
        assert.equal(await stage.state(lease.id), "canceled", how);
      }
    },
  },
];
