import assert from "node:assert/strict";
import type { WebhookScenario } from "./stage.js";

export const sweepScenarios: readonly WebhookScenario[] = [
  {
    name: "a sweep removes deliveries that ended long enough ago with their attempts and events, and nothing else",
    async run(stage) {
      while ((await stage.deliveries.sweep(-1, 10_000)) > 0);
      const { id } = await stage.register();
      await stage.enqueue(id, 3);
      const [ended, sending] = await stage.claim({ max: 2 });
      assert.ok(ended !== undefined && sending !== undefined);
      await stage.record(ended, {});
      assert.equal(await stage.deliveries.sweep(60_000, 10), 0);
      await stage.advance(20);
      assert.equal(await stage.deliveries.sweep(5, 10), 1);
      assert.equal(await stage.deliveries.get(ended.lease.id), undefined);
      assert.deepStrictEqual(await stage.deliveries.attempts(ended.lease.id), []);
      assert.equal(await stage.deliveries.event(ended.event.id), undefined);
      assert.notEqual(await stage.deliveries.event(sending.event.id), undefined);
      assert.deepStrictEqual(await stage.deliveries.counts(id), { pending: 1, sending: 1, succeeded: 0, dead: 0, canceled: 0 });
    },
  },
  {
    name: "an event stays as long as one of its deliveries",
    async run(stage) {
      while ((await stage.deliveries.sweep(-1, 10_000)) > 0);
      const [first, second] = [await stage.register(), await stage.register()];
      const event = stage.eventFor([first.id, second.id]);
      await stage.deliveries.enqueue([event]);
      const [ended, other] = await stage.claim();
      assert.ok(ended !== undefined && other !== undefined);
      await stage.record(ended, {});
      await stage.advance(20);
      assert.equal(await stage.deliveries.sweep(5, 10), 1);
      assert.notEqual(await stage.deliveries.event(event.id), undefined);
      await stage.record(other, {});
      await stage.advance(20);
      assert.equal(await stage.deliveries.sweep(5, 10), 1);
      assert.equal(await stage.deliveries.event(event.id), undefined);
    },
  },
  {
    name: "a sweep removes at most the given number of deliveries, those that ended first",
    async run(stage) {
      while ((await stage.deliveries.sweep(-1, 10_000)) > 0);
      const { id } = await stage.register();
      const ids = await stage.enqueue(id, 3);
      for (const one of await stage.claim()) {
        await stage.record(one, {});
        await stage.advance(3);
      }
      await stage.advance(20);
      assert.equal(await stage.deliveries.sweep(5, 2), 2);
      const left = [];
      for (const one of ids) if ((await stage.deliveries.get(one)) !== undefined) left.push(one);
      assert.equal(left.length, 1);
      assert.equal(await stage.deliveries.sweep(5, 2), 1);
      assert.equal(await stage.deliveries.sweep(5, 2), 0);
    },
  },
];
