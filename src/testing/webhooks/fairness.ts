import assert from "node:assert/strict";
import type { DeliveryShares } from "../../ground/storage/queue/deliveries.js";
import { failure, only, type WebhookScenario, type WebhookStage } from "./stage.js";

export const fairnessScenarios: readonly WebhookScenario[] = [
  {
    name: "5,000 deliveries of one webhook do not delay those of 20 others",
    async run(stage) {
      const busy = await stage.register();
      for (let chunk = 0; chunk < 5; chunk++) await stage.enqueue(busy.id, 1_000);
      await stage.advance(2);
      const others: string[] = [];
      for (let index = 0; index < 20; index++) others.push((await stage.register()).id);
      for (const id of others) await stage.enqueue(id, 2);
      const claimed = await stage.claim({ max: 100, maxPerWebhook: 5 });
      const countOf = (webhook: string) => claimed.filter((one) => one.webhook.id === webhook).length;
      assert.equal(countOf(busy.id), 5);
      for (const id of others) assert.equal(countOf(id), 2);
    },
  },
  {
    name: "if not all can be claimed, each webhook gets one before any gets two, also across claims",
    async run(stage) {
      const busy = await stage.register();
      await stage.enqueue(busy.id, 50);
      await stage.advance(2);
      const others: string[] = [];
      for (let index = 0; index < 5; index++) others.push((await stage.register()).id);
      for (const id of others) await stage.enqueue(id, 5);
      const first = (await stage.claim({ max: 6, maxPerWebhook: 5 })).map(({ webhook }) => webhook.id);
      assert.deepStrictEqual(new Set(first), new Set([busy.id, ...others]));
      assert.equal(first.length, 6);
      const second = (await stage.claim({ max: 6, maxPerWebhook: 5 })).map(({ webhook }) => webhook.id);
      assert.deepStrictEqual(new Set(second), new Set([busy.id, ...others]));
    },
  },
  {
    name: "deliveries of one tenant leave the share of others free",
    async run(stage) {
      const shares = { ...wide, maxPerTenant: 6 };
      const [tenant, webhooks] = [stage.name(), [] as string[]];
      for (let index = 0; index < 5; index++) webhooks.push((await stage.register({ tenant })).id);
      for (const id of webhooks) await stage.enqueue(id, 4);
      await stage.advance(2);
      const other = await stage.register();
      await stage.enqueue(other.id, 2);
      const claimed = await stage.claim({ shares });
      const own = claimed.filter(({ webhook }) => webhook.id !== other.id);
      assert.deepStrictEqual([own.length, claimed.length], [6, 8]);
      assert.deepStrictEqual(new Set(own.map(({ webhook }) => webhook.id)), new Set(webhooks));
      assert.deepStrictEqual(await stage.claim({ shares }), []);
      await waits(stage, shares);
      await stage.record(only(own), {});
      assert.equal(await stage.deliveries.dueInMs(100, shares), 0);
      assert.equal((await stage.claim({ shares })).length, 1);
    },
  },
  {
    name: "if not all can be claimed, each tenant gets one before any gets two, also across claims",
    async run(stage) {
      const tenant = stage.name();
      for (let index = 0; index < 10; index++) await stage.enqueue((await stage.register({ tenant })).id, 2);
      await stage.advance(2);
      const other = await stage.register();
      await stage.enqueue(other.id, 5);
      for (let turn = 0; turn < 2; turn++) {
        const claimed = await stage.claim({ max: 4, shares: wide });
        assert.equal(claimed.filter(({ webhook }) => webhook.id === other.id).length, 2);
        assert.equal(claimed.length, 4);
      }
    },
  },
  {
    name: "webhooks whose last attempt timed out have a separate share, per tenant and overall",
    async run(stage) {
      const shares = { ...wide, maxSlowPerTenant: 2, maxSlow: 3 };
      const [tenant, another] = [stage.name(), stage.name()];
      const slow: string[] = [];
      for (const name of [tenant, tenant, tenant, another, another]) {
        const claimed = await stage.sending(60_000, { tenant: name });
        await stage.record(claimed, { ...failure, next: { state: "dead" }, timedOut: true });
        assert.equal((await stage.found(claimed.webhook.id)).timedOut, true);
        slow.push(claimed.webhook.id);
      }
      for (const id of slow) await stage.enqueue(id, 2);
      await stage.advance(2);
      const healthy = await stage.register({ tenant });
      await stage.enqueue(healthy.id, 3);
      const claimed = await stage.claim({ shares });
      const count = (ids: readonly string[]) => claimed.filter(({ webhook }) => ids.includes(webhook.id)).length;
      assert.deepStrictEqual([count([healthy.id]), count(slow.slice(0, 3)), count(slow.slice(3))], [3, 2, 1]);
      assert.deepStrictEqual(await stage.claim({ shares }), []);
      await waits(stage, shares);
      for (const one of claimed) await stage.record(one, slow.includes(one.webhook.id) ? { ...failure, next: { state: "dead" } } : {});
      assert.equal((await stage.claim({ shares: { ...wide, maxSlow: 0 } })).length, 0);
      const again = await stage.claim({ shares: { ...wide, maxSlow: 1 } });
      assert.equal(again.length, 1);
      // A response in time ends the slow state.
      const answered = only(again);
      await stage.record(answered, { timedOut: false });
      assert.equal((await stage.found(answered.webhook.id)).timedOut, false);
      await stage.enqueue(answered.webhook.id);
      const free = await stage.claim({ shares: { ...wide, maxSlow: 0 } });
      assert.deepStrictEqual(new Set(free.map(({ webhook }) => webhook.id)), new Set([answered.webhook.id]));
    },
  },
  {
    name: "a webhook is slow while one of its attempts takes long",
    async run(stage) {
      const shares = { ...wide, maxSlowPerTenant: 1, slowMs: 30 };
      const tenant = stage.name();
      const hanging = await stage.register({ tenant });
      await stage.enqueue(hanging.id, 3);
      const first = only(await stage.claim({ max: 1, shares: { ...shares, slowMs: 60_000 } }));
      await stage.advance(40);
      const healthy = await stage.register({ tenant });
      await stage.enqueue(healthy.id, 2);
      const claimed = await stage.claim({ shares });
      assert.deepStrictEqual(
        claimed.map(({ webhook }) => webhook.id),
        [healthy.id, healthy.id],
      );
      for (const one of claimed) await stage.record(one, {});
      await waits(stage, shares);
      await stage.record(first, {});
      assert.equal((await stage.claim({ shares })).length, 2);
    },
  },
];

const wide: DeliveryShares = { maxPerTenant: 1_000, maxSlowPerTenant: 1_000, maxSlow: 1_000, slowMs: 60_000 };

/** Asserts that no delivery can be claimed before a lease ends. */
async function waits(stage: WebhookStage, shares: DeliveryShares): Promise<void> {
  const dueIn = await stage.deliveries.dueInMs(100, shares);
  assert.ok(dueIn !== undefined && dueIn > 40_000 && dueIn <= 60_000, `due in ${dueIn} ms`);
}
