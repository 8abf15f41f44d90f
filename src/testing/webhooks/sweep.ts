import assert from "node:assert/strict";
import type { WebhookScenario } from "./stage.js";

export const sweepScenarios: readonly WebhookScenario[] = [
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
];
