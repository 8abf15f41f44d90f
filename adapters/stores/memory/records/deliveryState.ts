import type { DeliveryAttempt, LoggedAttempt, StoredEvent } from "../../../../src/ground/storage/queue/deliveries.js";
import type { Layer } from "../layer.js";
import type { DeliveryRecord } from "./deliveryRecord.js";
import { openDeliveries } from "./deliveryRecords.js";
import { tenantOf } from "./records.js";

/** Cancels the pending deliveries of a webhook. */
export function cancelPending({ records: { deliveries } }: Layer, webhook: string): void {
  const endedMs = deliveries.clock.now();
  // In reverse order: removing the end of a queue is cheap.
  for (const record of [...openDeliveries(deliveries, webhook, "pending")].reverse())
    deliveries.put(record.id, { ...record, state: "canceled", endedMs });
}

/** The delivery as pending again, or canceled if its webhook is not active. */
export function pendingAgain({ records: { webhooks, deliveries } }: Layer, record: DeliveryRecord, delayMs: number): DeliveryRecord {
  const nowMs = deliveries.clock.now();
  if (webhooks.get(record.webhook)?.active !== true) return { ...record, state: "canceled", endedMs: nowMs };
  return { ...record, state: "pending", dueMs: nowMs + delayMs };
}

/** An attempt to store: a copy, so that later changes by callers and readers do not affect it. */
export function loggedAttempt({ attempts, trigger }: DeliveryRecord, attempt: DeliveryAttempt): LoggedAttempt {
  const { startedAt, latencyMs, status, errorCode, url, body } = attempt;
  return { n: attempts.length + 1, trigger, startedAt, latencyMs, status, errorCode, url, body: new Uint8Array(body), interrupted: false };
}

export function copyOfEvent({ id, type, tenant, createdAt, body, trace, subject }: StoredEvent): StoredEvent {
  const copy = { id, type, tenant: tenantOf(tenant), createdAt, body: new Uint8Array(body) };
  return { ...copy, ...(trace !== undefined && { trace }), ...(subject !== undefined && { subject }) };
}
