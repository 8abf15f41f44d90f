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
    name: "an outcome with a lost lease does not change the webhook",
    async run(stage) {
      const stale = await stage.sending(5);
      await stage.advance(20);
      await stage.claimOne();
      const before = [await stage.deliveries.get(stale.lease.id), await stage.found(stale.webhook.id)];
      assert.equal(await stage.deliveries.record(stale.lease, outcome({ failures: "add", disable: "gone", pauseMs: 10 })), undefined);
      assert.deepStrictEqual([await stage.deliveries.get(stale.lease.id), await stage.found(stale.webhook.id)], before);
      assert.equal((await stage.deliveries.attempts(stale.lease.id)).length, 1);
    },
  },
  {
    name: "a delivery that is released, or whose claim is, is pending without an attempt in the log, and its webhook unchanged",
    async run(stage) {
      for (const how of ["release", "unclaim"] as const) {
        if (how === "unclaim" && stage.deliveries.unclaim === undefined) continue;
        const claimId = stage.name();
        const { lease, webhook } = await stage.sending(60_000, {}, { claimId });
        if (how === "release") assert.equal(await stage.deliveries.release(lease, 60_000), true);
        else assert.equal(await stage.deliveries.unclaim?.(claimId), 1);
        assert.equal(await stage.state(lease.id), "pending");
        assert.deepStrictEqual(await stage.deliveries.attempts(lease.id), []);
        assert.deepStrictEqual(await stage.found(webhook.id), webhook);
      }
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
