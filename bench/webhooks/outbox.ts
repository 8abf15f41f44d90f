import type { ClaimedDelivery, DeliveryStore, Storage, WebhookStore } from "restwright";

/** A storage that keeps webhooks, with its stores at hand. */
export interface Outbox {
  readonly storage: Storage;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
}

/** @throws {Error} for a storage that keeps none */
export async function openOutbox(storage: Storage): Promise<Outbox> {
  const { webhooks, deliveries } = storage;
  if (webhooks === undefined || deliveries === undefined) throw new Error(`The storage "${storage.name}" keeps no webhooks.`);
  await storage.migrate?.([]);
  return { storage, webhooks, deliveries };
}

/** Registers `<prefix>0` and so on for one tenant. @returns their ids */
export async function register({ webhooks }: Outbox, prefix: string, count: number, filter?: unknown): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  for (const id of ids) {
    const target = { url: `https://hooks.example.com/${id}`, events: ["order.*"], filter, secret: "sealed", secretHint: "" };
    await webhooks.create({ ...target, id, tenant: prefix, owner: "bench" });
  }
  return ids;
}

/** Writes down that deliveries arrived. */
export async function recordArrivals({ deliveries }: Outbox, claimed: readonly ClaimedDelivery[]): Promise<void> {
  const attempt = { startedAt: new Date(), latencyMs: 1, status: 200, body: new Uint8Array(0) };
  for (const { lease } of claimed) await deliveries.record(lease, { attempt, next: { state: "succeeded" }, failures: "reset" });
}
