import type { DeliveryAttempt, DeliveryLease, LoggedAttempt, StoredEvent } from "../../src/storage/deliveries.js";
import type { DeliveryRecord } from "./deliveryRecord.js";
import type { Layer } from "./layer.js";
import { tenantOf } from "./tenant.js";

/** The delivery, if the lease is the last one and nobody has ended it. */
export function heldDelivery({ deliveries }: Layer, { id, fence }: DeliveryLease): DeliveryRecord | undefined {
  const record = deliveries.get(id);
  return record?.state === "sending" && record.fence === fence ? record : undefined;
}

/** Cancels what waits for a webhook. */
export function cancelPending({ deliveries }: Layer, webhook: string): void {
  const endedMs = deliveries.clock.now();
  // The last first: a queue gives up its end at no cost.
  for (const record of [...deliveries.open(webhook, "pending")].reverse()) deliveries.put(record.id, { ...record, state: "canceled", endedMs });
}

/** The delivery back in line, or canceled where its webhook is not active. */
export function pendingAgain({ webhooks, deliveries }: Layer, record: DeliveryRecord, delayMs: number): DeliveryRecord {
  const nowMs = deliveries.clock.now();
  if (webhooks.get(record.webhook)?.active !== true) return { ...record, state: "canceled", endedMs: nowMs };
  return { ...record, state: "pending", dueMs: nowMs + delayMs };
}

/** An attempt as it is kept: neither the caller's later changes nor a reader's reach it. */
export function loggedAttempt({ attempts, trigger }: DeliveryRecord, attempt: DeliveryAttempt): LoggedAttempt {
  const { startedAt, latencyMs, status, errorCode, body } = attempt;
  return { n: attempts.length + 1, trigger, startedAt, latencyMs, status, errorCode, body: new Uint8Array(body), interrupted: false };
}

export function copyOfEvent({ id, type, tenant, createdAt, body }: StoredEvent): StoredEvent {
  return { id, type, tenant: tenantOf(tenant), createdAt, body: new Uint8Array(body) };
}
