import assert from "node:assert/strict";
import { failure, type WebhookScenario } from "./stage.js";

export const dropScenarios: readonly WebhookScenario[] = [
  {
    name: "an event keeps its subject, also in a replay",
    async run(stage) {
      const { id } = await stage.register();
      const subject = `{"row":{"name":"Zoë \\u0000 🙂"}}`;
      const event = stage.eventFor([id], { subject });
      await stage.deliveries.enqueue([event]);
      const claimed = await stage.claimOne();
      assert.equal(claimed.event.subject, subject);
      assert.equal((await stage.deliveries.event(event.id))?.subject, subject);
      await stage.record(claimed, { next: { state: "dead" } });
      await stage.deliveries.replay([{ id: stage.name(), of: claimed.lease.id }]);
      assert.equal((await stage.claimOne()).event.subject, subject);
    },
  },
  {
    name: "a dropped delivery without attempts disappears, with its event, and changes nothing of its webhook",
    async run(stage) {
      const failing = await stage.sending();
      await stage.record(failing, { ...failure, next: { state: "dead" } });
      const webhook = await stage.found(failing.webhook.id);
      await stage.enqueue(webhook.id);
      const { lease, event } = await stage.claimOne();
      assert.equal(await stage.deliveries.drop(lease), true);
      assert.equal(await stage.deliveries.get(lease.id), undefined);
      const listed = await stage.deliveries.list({ webhook: webhook.id, limit: 10 });
      assert.deepStrictEqual(
        listed.map(({ id }) => id),
        [failing.lease.id],
      );
      assert.deepStrictEqual(await stage.found(webhook.id), webhook);
      assert.deepStrictEqual(await stage.claim(), []);
      assert.equal(await stage.deliveries.dueInMs(100), undefined);
      await stage.deliveries.sweep(60_000, 10);
      assert.equal(await stage.deliveries.event(event.id), undefined);
      assert.notEqual(await stage.deliveries.event(failing.event.id), undefined);
    },
  },
  {
    name: "the event of a dropped delivery stays for the other deliveries",
    async run(stage) {
      const [first, second] = [await stage.register(), await stage.register()];
      const event = stage.eventFor([first.id, second.id]);
      await stage.deliveries.enqueue([event]);
      const [one, other] = await stage.claim();
      assert.ok(one !== undefined && other !== undefined);
      assert.equal(await stage.deliveries.drop(one.lease), true);
      await stage.deliveries.sweep(60_000, 10);
      assert.notEqual(await stage.deliveries.event(event.id), undefined);
      await stage.record(other, {});
      assert.equal(await stage.state(other.lease.id), "succeeded");
    },
  },
  {
    name: "a dropped delivery with attempts is canceled and stays in the log",
    async run(stage) {
      const failed = await stage.sending();
      await stage.record(failed, failure);
      const again = await stage.claimOne();
      assert.equal(await stage.deliveries.drop(again.lease), true);
      const { state, attempts, endedAt } = (await stage.deliveries.get(again.lease.id)) ?? {};
      assert.deepStrictEqual([state, attempts], ["canceled", 1]);
      assert.ok(endedAt !== undefined);
      assert.equal((await stage.found(failed.webhook.id)).consecutiveFailures, 1);
      assert.equal((await stage.deliveries.attempts(again.lease.id)).length, 1);
    },
  },
  {
    name: "a delivery whose lease was lost is not dropped",
    async run(stage) {
      const claimed = await stage.sending(5);
      await stage.advance(20);
      const again = await stage.claimOne();
      assert.equal(await stage.deliveries.drop(claimed.lease), false);
      assert.equal(await stage.state(again.lease.id), "sending");
      await stage.record(again, {});
      assert.equal(await stage.deliveries.drop(again.lease), false);
      assert.equal(await stage.state(again.lease.id), "succeeded");
    },
  },
  {
    name: "deliveries of one event that are dropped at the same time leave nothing behind",
    async run(stage) {
      const webhooks = [await stage.register(), await stage.register(), await stage.register()];
      const event = stage.eventFor(webhooks.map(({ id }) => id));
      await stage.deliveries.enqueue([event]);
      const claimed = await stage.claim();
      assert.deepStrictEqual(await Promise.all(claimed.map(({ lease }) => stage.deliveries.drop(lease))), [true, true, true]);
      await stage.deliveries.sweep(60_000, 10);
      assert.equal(await stage.deliveries.event(event.id), undefined);
    },
  },
];
