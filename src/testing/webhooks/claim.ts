import assert from "node:assert/strict";
import { only, outcome, type WebhookScenario } from "./stage.js";

export const claimScenarios: readonly WebhookScenario[] = [
  {
    name: "a claim returns the complete webhook and event, and sets the delivery to sending",
    async run(stage) {
      const webhook = await stage.register({ apiVersion: "1", clientCertificate: "main" });
      const [id = ""] = await stage.enqueue(webhook.id);
      const claimed = await stage.claimOne();
      assert.deepStrictEqual(claimed.webhook, webhook);
      assert.equal(claimed.lease.id, id);
      assert.deepStrictEqual([claimed.attempt, claimed.trigger], [1, "auto"]);
      assert.equal(await stage.state(id), "sending");
      assert.deepStrictEqual(await stage.claim(), []);
    },
  },
  {
    name: "deliveries in flight respect the limit of their webhook, regardless of the worker",
    async run(stage) {
      const { id } = await stage.register();
      await stage.enqueue(id, 5);
      const first = await stage.claim({ maxPerWebhook: 2 });
      assert.equal(first.length, 2);
      assert.deepStrictEqual(await stage.claim({ maxPerWebhook: 2 }), []);
      await stage.record(only(first), {});
      assert.equal((await stage.claim({ maxPerWebhook: 2 })).length, 1);
      assert.equal((await stage.claim({ maxPerWebhook: 4 })).length, 2);
    },
  },
  {
    name: "the own limit of a webhook applies if it is lower",
    async run(stage) {
      const claimed = await stage.sending();
      await stage.record(claimed, { limit: { change: "one", max: 5 } });
      await stage.enqueue(claimed.webhook.id, 3);
      const one = await stage.claimOne();
      assert.deepStrictEqual(await stage.claim(), []);
      await stage.record(one, { limit: { change: "grow", max: 5 } });
      assert.equal((await stage.claim()).length, 2);
    },
  },
  {
    name: "deliveries of a paused webhook are not claimed until the pause ends",
    async run(stage) {
      const claimed = await stage.sending();
      const { id } = claimed.webhook;
      await stage.record(claimed, { pauseMs: 500 });
      await stage.enqueue(id);
      assert.deepStrictEqual(await stage.claim(), []);
      const dueIn = await stage.deliveries.dueInMs(5);
      assert.ok(dueIn !== undefined && dueIn > 50 && dueIn <= 500, `due in ${dueIn} ms`);
      await stage.advance(510);
      assert.equal(await stage.deliveries.dueInMs(5), 0);
      assert.equal((await stage.claimOne()).webhook.id, id);
    },
  },
  {
    name: "dueInMs tells when a claim can succeed: now, after a delay, at the end of a lease, or never",
    async run(stage) {
      assert.equal(await stage.deliveries.dueInMs(1), undefined);
      const { id } = await stage.register();
      await stage.enqueue(id, 2);
      assert.equal(await stage.deliveries.dueInMs(1), 0);
      const { lease } = await stage.claimOne({ max: 1, leaseMs: 60_000 });
      const between = async (maxPerWebhook: number, low: number, high: number) => {
        const dueIn = await stage.deliveries.dueInMs(maxPerWebhook);
        assert.ok(dueIn !== undefined && dueIn >= low && dueIn <= high, `due in ${dueIn} ms`);
      };
      await between(2, 0, 0);
      await between(1, 50_000, 60_000);
      const [other] = await stage.claim();
      assert.ok(other !== undefined);
      await stage.record(other, {});
      await stage.deliveries.record(lease, outcome({ next: { state: "pending", delayMs: 30_000 }, failures: "add" }));
      await between(1, 20_000, 30_000);
      await stage.webhooks.update(id, { active: false });
      assert.equal(await stage.deliveries.dueInMs(1), undefined);
    },
  },
  {
    name: "a webhook at its limit waits for the end of a live lease, even if it has expired leases",
    async run(stage) {
      const { id } = await stage.register();
      await stage.enqueue(id, 3);
      const [troubled, live] = [only(await stage.claim({ max: 1 })), only(await stage.claim({ max: 1 }))];
      const [over] = await stage.claim({ max: 1, leaseMs: 5 });
      assert.ok(over !== undefined);
      await stage.record(troubled, { limit: { change: "one", max: 5 } });
      await stage.advance(20);
      await stage.enqueue(id);
      assert.deepStrictEqual(await stage.claim({ maxPerWebhook: 5 }), []);
      const dueIn = await stage.deliveries.dueInMs(5);
      assert.ok(dueIn !== undefined && dueIn > 50_000 && dueIn <= 60_000, `due in ${dueIn} ms`);
      await stage.record(live, {});
      assert.equal(await stage.deliveries.dueInMs(5), 0);
      assert.equal((await stage.claimOne({ maxPerWebhook: 5 })).attempt, 2);
    },
  },
];
