import assert from "node:assert/strict";
import type { WebhookScenario } from "./stage.js";

export const enqueueScenarios: readonly WebhookScenario[] = [
  {
    name: "an event is delivered to each of its webhooks with an unchanged body",
    async run(stage) {
      const [first, second] = [await stage.register(), await stage.register()];
      const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const event = stage.eventFor([first.id, second.id], { body, tenant: "acme" });
      assert.deepStrictEqual(
        await stage.deliveries.enqueue([event]),
        event.deliveries.map(({ id }) => id),
      );
      body.fill(0);
      const claimed = await stage.claim();
      assert.deepStrictEqual(new Set(claimed.map(({ webhook }) => webhook.id)), new Set([first.id, second.id]));
      for (const { event: sent, attempt } of claimed) {
        const { id, type, tenant, createdAt } = event;
        assert.deepStrictEqual(
          { ...sent, body: [...sent.body] },
          { id, type, tenant, createdAt, body: Array.from({ length: 256 }, (_, byte) => byte) },
        );
        assert.equal(attempt, 1);
      }
      assert.deepStrictEqual([...((await stage.deliveries.event(event.id))?.body ?? [])].slice(0, 3), [0, 1, 2]);
    },
  },
  {
    name: "a new delivery is pending, due and without attempts",
    async run(stage) {
      const { id: webhook } = await stage.register();
      const event = stage.eventFor([webhook], { tenant: "acme" });
      const [id = ""] = await stage.deliveries.enqueue([event]);
      const delivery = await stage.deliveries.get(id);
      assert.ok(delivery !== undefined);
      const { createdAt, dueAt, position, ...rest } = delivery;
      const nothing = { endedAt: undefined, lastUrl: undefined, lastAttemptAt: undefined, lastStatus: undefined, lastErrorCode: undefined };
      const what = { id, webhook, tenant: "acme", event: event.id, type: event.type };
      assert.deepStrictEqual(rest, { ...what, trigger: "auto", state: "pending", attempts: 0, ...nothing });
      assert.ok(Number.isSafeInteger(position) && dueAt !== undefined && dueAt.getTime() - createdAt.getTime() < 50);
      assert.deepStrictEqual(await stage.deliveries.attempts(id), []);
    },
  },
  {
    name: "many events are enqueued at once, in order, also with empty bodies",
    async run(stage) {
      const webhook = await stage.register();
      const events = Array.from({ length: 1_000 }, (_, index) => stage.eventFor([webhook.id], { body: Buffer.from(`${index} `.repeat(index % 3)) }));
      const ids = events.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
      assert.deepStrictEqual(await stage.deliveries.enqueue(events), ids);
      const listed = await stage.deliveries.list({ webhook: webhook.id, order: "asc", limit: 2_000 });
      assert.deepStrictEqual(
        listed.map(({ id }) => id),
        ids,
      );
      for (const [index, text] of [
        [0, ""],
        [500, "500 500 "],
        [997, "997 "],
        [999, ""],
      ] as const)
        assert.equal(Buffer.from((await stage.deliveries.event(events[index]?.id ?? ""))?.body ?? "none").toString(), text);
      assert.equal((await stage.deliveries.counts(webhook.id)).pending, 1_000);
    },
  },
  {
    name: "inactive or removed webhooks get no delivery, and an event without deliveries is not stored",
    async run(stage) {
      const [active, inactive] = [await stage.register(), await stage.register({ active: false })];
      const event = stage.eventFor([inactive.id, active.id, stage.name()]);
      assert.deepStrictEqual(await stage.deliveries.enqueue([event]), [event.deliveries[1]?.id]);
      const lost = stage.eventFor([inactive.id]);
      assert.deepStrictEqual(await stage.deliveries.enqueue([lost, stage.eventFor([])]), []);
      assert.equal(await stage.deliveries.event(lost.id), undefined);
      assert.deepStrictEqual(await stage.deliveries.enqueue([]), []);
    },
  },
  {
    name: "an existing event or delivery is not changed",
    async run(stage) {
      const [first, second] = [await stage.register(), await stage.register()];
      const event = stage.eventFor([first.id]);
      await stage.deliveries.enqueue([event]);
      const more = { id: stage.name(), webhook: second.id };
      const again = { ...event, body: Buffer.from("other"), deliveries: [...event.deliveries, more] };
      assert.deepStrictEqual(await stage.deliveries.enqueue([again]), [more.id]);
      assert.deepStrictEqual(
        (await stage.claim()).map(({ event: sent }) => Buffer.from(sent.body).toString()),
        ["{}", "{}"],
      );
    },
  },
];
