import assert from "node:assert/strict";
import { together } from "../queue/queue.js";
import { failure, outcome, type WebhookScenario } from "./stage.js";

export const webhookRaceScenarios: readonly WebhookScenario[] = [
  {
    name: "concurrent claims together respect the limit of a webhook",
    async run(stage) {
      const { id } = await stage.register();
      await stage.enqueue(id, 20);
      const claimed = (await together(() => stage.claim({ max: 3, maxPerWebhook: 5 }))).flat();
      assert.equal(claimed.length, 5);
      assert.equal(new Set(claimed.map(({ lease }) => lease.id)).size, 5);
    },
  },
  {
    name: "exactly one of 20 concurrent claims takes over an expired lease, which is logged once as interrupted",
    async run(stage) {
      const { lease } = await stage.sending(5);
      await stage.advance(20);
      const claimed = (await together(() => stage.claim())).flat();
      assert.deepStrictEqual(
        claimed.map(({ attempt }) => attempt),
        [2],
      );
      assert.equal((await stage.deliveries.attempts(lease.id)).length, 1);
    },
  },
  {
    name: "of 20 concurrent outcomes of one lease exactly one is stored",
    async run(stage) {
      const claimed = await stage.sending();
      const recorded = await together(() => stage.deliveries.record(claimed.lease, outcome({ next: { state: "dead" }, failures: "add" })));
      assert.equal(recorded.filter((one) => one !== undefined).length, 1);
      assert.equal((await stage.deliveries.attempts(claimed.lease.id)).length, 1);
      assert.equal((await stage.found(claimed.webhook.id)).consecutiveFailures, 1);
    },
  },
  {
    name: "concurrent failures are all counted, and exactly one disables the webhook",
    async run(stage) {
      const { id } = await stage.register();
      await stage.enqueue(id, 30);
      const claimed = await stage.claim({ max: 20 });
      const disableAfter = { consecutive: 20, minDurationMs: 0 };
      const recorded = await Promise.all(claimed.map(({ lease }) => stage.deliveries.record(lease, outcome({ ...failure, disableAfter }))));
      assert.deepStrictEqual(
        recorded.map((one) => one?.consecutiveFailures ?? 0).sort((left, right) => left - right),
        Array.from({ length: 20 }, (_, n) => n + 1),
      );
      assert.equal(recorded.filter((one) => one?.disabled !== undefined).length, 1);
      assert.deepStrictEqual(await stage.deliveries.counts(id), { pending: 0, sending: 0, succeeded: 0, dead: 0, canceled: 30 });
    },
  },
  {
    name: "of 20 concurrent updates with the same version exactly one succeeds",
    async run(stage) {
      const { id, version } = await stage.register();
      const updates = await together((index) => stage.webhooks.update(id, { url: `https://example.com/${index}` }, version));
      assert.equal(updates.filter(({ ok }) => ok).length, 1);
      assert.equal((await stage.found(id)).url, `https://example.com/${updates.findIndex(({ ok }) => ok)}`);
    },
  },
  {
    name: "an event that is enqueued 20 times concurrently is stored and delivered once",
    async run(stage) {
      const { id } = await stage.register();
      const event = stage.eventFor([id]);
      const made = (await together(() => stage.deliveries.enqueue([event]))).flat();
      assert.deepStrictEqual(made, [event.deliveries[0]?.id]);
      assert.equal((await stage.claim()).length, 1);
    },
  },
  {
    name: "a webhook that is removed while events are enqueued gets no deliveries",
    async run(stage) {
      const { id } = await stage.register();
      await Promise.all([together(() => stage.deliveries.enqueue([stage.eventFor([id])])), stage.webhooks.remove(id)]);
      assert.deepStrictEqual(await stage.claim(), []);
      await stage.deliveries.sweep(60_000, 1);
      assert.equal((await stage.deliveries.counts(id)).pending, 0);
    },
  },
];
