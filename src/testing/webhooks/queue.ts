import type { DeliveryStore } from "../../ground/storage/queue/deliveries.js";
import type { WebhookStore } from "../../ground/storage/queue/webhooks.js";
import type { LeasedQueue } from "../queue/queue.js";
import { queueScenarios } from "../queue/scenarios.js";
import { deliveriesOf, failure, outcome, type WebhookStage, webhooksOf } from "./stage.js";

/** All deliveries, of new webhooks: one for each tenant. */
async function deliveryQueue(stage: WebhookStage): Promise<LeasedQueue> {
  const webhooks = new Map([["one", (await stage.register()).id]]);
  const events = new Map<string, string>();
  let ended = 0;
  const over = (store: DeliveryStore, registered: WebhookStore): LeasedQueue => ({
    advance: stage.advance,
    async add(count = 1, tenant = "one") {
      const webhook = webhooks.get(tenant) ?? (await stage.register()).id;
      webhooks.set(tenant, webhook);
      const made = Array.from({ length: count }, () => stage.eventFor([webhook]));
      for (const { id, deliveries } of made) for (const delivery of deliveries) events.set(delivery.id, id);
      return store.enqueue(made);
    },
    claim: async (change) =>
      (await stage.claim(change, store)).map(({ lease, attempt, interrupted, event }) => ({
        lease,
        attempts: attempt - 1,
        interrupted,
        input: event,
      })),
    end: async (lease) => (await store.record(lease, outcome({ next: { state: ended++ % 2 === 0 ? "succeeded" : "dead" } }))) !== undefined,
    fail: async (lease, delayMs) => (await store.record(lease, outcome({ ...failure, next: { state: "pending", delayMs } }))) !== undefined,
    release: (lease, delayMs) => store.release(lease, delayMs),
    writes: {
      "record of a success": async (lease) => (await store.record(lease, outcome())) !== undefined,
      "record of a failure": async (lease) => (await store.record(lease, outcome(failure))) !== undefined,
      release: (lease) => store.release(lease, 0),
      drop: (lease) => store.drop(lease),
    },
    unclaim: async (claimId) => store.unclaim?.(claimId),
    sweep: (keepMs, max) => store.sweep(keepMs, max),
    async find(id) {
      const [delivery, attempts, event] = [await store.get(id), await store.attempts(id), await store.event(events.get(id) ?? id)];
      if (delivery === undefined && attempts.length === 0 && event === undefined) return undefined;
      return { delivery, attempts, event, webhook: await registered.get(delivery?.webhook ?? "") };
    },
    transaction: (run) => stage.transaction((tx) => run(over(deliveriesOf(tx), webhooksOf(tx)))),
  });
  return over(stage.deliveries, stage.webhooks);
}

/** What deliveries have in common with other queues. */
export const deliveryQueueScenarios = queueScenarios(async (stage: WebhookStage, sweeps) => {
  if (sweeps) while ((await stage.deliveries.sweep(-1, 10_000)) > 0);
  return deliveryQueue(stage);
});
