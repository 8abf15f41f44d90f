import { type DeliveryRecord, isOpen } from "./deliveryRecord.js";
import type { QueuedRecords, QueuePlace } from "./queuedRecords.js";

/** The only group; each webhook has a queue. */
export const allWebhooks = "";

/** Deliveries by id, and open deliveries by webhook. */
export type DeliveryRecords = QueuedRecords<DeliveryRecord>;

export function deliveryPlace(record: DeliveryRecord): QueuePlace | undefined {
  return isOpen(record) ? placeOf(record.webhook, record.state === "sending") : undefined;
}

/** Webhooks that may have open deliveries. */
export function busyWebhooks(deliveries: DeliveryRecords): Iterable<string> {
  return deliveries.queues(allWebhooks);
}

/** Open deliveries of one state, by due time. Stop iterating before you change a delivery. */
export function openDeliveries(deliveries: DeliveryRecords, webhook: string, state: "pending" | "sending"): Iterable<DeliveryRecord> {
  return deliveries.open(placeOf(webhook, state === "sending"));
}

function placeOf(webhook: string, isHeld: boolean): QueuePlace {
  return { group: allWebhooks, queue: webhook, isHeld };
}
