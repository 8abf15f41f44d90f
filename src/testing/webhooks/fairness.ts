import assert from "node:assert/strict";
import type { WebhookScenario } from "./stage.js";

export const fairnessScenarios: readonly WebhookScenario[] = [
  {
    name: "5,000 deliveries of one webhook do not keep those of 20 others waiting",
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
    name: "where not all can be claimed, each webhook has one before any has two, also in the claims behind",
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
];
