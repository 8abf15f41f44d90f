import type { ClaimedDelivery, DeliveryClaim, LoggedAttempt } from "../../src/storage/deliveries.js";
import type { Webhook } from "../../src/storage/webhooks.js";
import { byDue, type DeliveryRecord, isUnderWay } from "./deliveryRecord.js";
import { copyOfEvent } from "./deliveryState.js";
import type { Layer } from "./layer.js";
import { copyOf } from "./webhooks.js";

interface Candidate {
  readonly record: DeliveryRecord;
  readonly webhook: Webhook;
  /** How many of its webhook would be under way with it. */
  readonly place: number;
}

/** Gives out leases of what is due: of every webhook no more than it may have under way, and of those with the fewest first. */
export function claimDeliveries(layer: Layer, { leaseMs, max, maxPerWebhook }: DeliveryClaim): readonly ClaimedDelivery[] {
  const nowMs = layer.deliveries.clock.now();
  const candidates = readyWebhooks(layer, nowMs).flatMap((webhook) => candidatesOf(layer, webhook, maxPerWebhook, nowMs));
  candidates.sort((left, right) => left.place - right.place || byDue(left.record, right.record));
  return candidates.slice(0, max).flatMap(({ record, webhook }) => {
    const event = layer.events.get(record.event);
    if (event === undefined) return [];
    const given = leased(record, nowMs, leaseMs);
    layer.deliveries.put(given.id, given);
    const { id, fence, trigger, attempts } = given;
    return [{ lease: { id, fence }, trigger, attempt: attempts.length + 1, event: copyOfEvent(event), webhook: copyOf(webhook) }];
  });
}

/** Milliseconds until a claim may find something; `undefined` while nothing waits. */
export function dueInMs(layer: Layer, maxPerWebhook: number): number | undefined {
  const nowMs = layer.deliveries.clock.now();
  const dues = [...layer.deliveries.webhooks()].flatMap((id) => {
    const webhook = layer.webhooks.get(id);
    if (webhook?.active !== true) return [];
    const isFull = underWayOf(layer, id, nowMs) >= Math.min(maxPerWebhook, webhook.limit ?? maxPerWebhook);
    const due = isFull ? firstLiveDue(layer, id, nowMs) : firstOpenDue(layer, id);
    return due === undefined ? [] : [Math.max(due, webhook.pausedUntil?.getTime() ?? 0)];
  });
  return dues.length === 0 ? undefined : Math.max(0, dues.reduce((least, due) => Math.min(least, due)) - nowMs);
}

/** When the first lease that is not over will be: what is over already may have to wait for that. */
function firstLiveDue({ deliveries }: Layer, webhook: string, nowMs: number): number | undefined {
  for (const record of deliveries.open(webhook, "sending")) if (isUnderWay(record, nowMs)) return record.dueMs;
  return undefined;
}

function firstOpenDue({ deliveries }: Layer, webhook: string): number | undefined {
  const [sending] = deliveries.open(webhook, "sending");
  const [pending] = deliveries.open(webhook, "pending");
  return sending === undefined || (pending !== undefined && pending.dueMs < sending.dueMs) ? pending?.dueMs : sending.dueMs;
}

function readyWebhooks({ deliveries, webhooks }: Layer, nowMs: number): readonly Webhook[] {
  return [...deliveries.webhooks()].flatMap((id) => {
    const webhook = webhooks.get(id);
    return webhook?.active && (webhook.pausedUntil?.getTime() ?? 0) <= nowMs ? [webhook] : [];
  });
}

function candidatesOf(layer: Layer, webhook: Webhook, maxPerWebhook: number, nowMs: number): readonly Candidate[] {
  const underWay = underWayOf(layer, webhook.id, nowMs);
  const free = Math.min(maxPerWebhook, webhook.limit ?? maxPerWebhook) - underWay;
  if (free <= 0) return [];
  const due = [...firstDue(layer, webhook.id, "pending", free, nowMs), ...firstDue(layer, webhook.id, "sending", free, nowMs)].sort(byDue);
  return due.slice(0, free).map((record, index) => ({ record, webhook, place: underWay + index + 1 }));
}

function firstDue({ deliveries }: Layer, webhook: string, state: "pending" | "sending", count: number, nowMs: number): readonly DeliveryRecord[] {
  const found: DeliveryRecord[] = [];
  for (const record of deliveries.open(webhook, state)) {
    if (found.length >= count || record.dueMs > nowMs) break;
    found.push(record);
  }
  return found;
}

function underWayOf({ deliveries }: Layer, webhook: string, nowMs: number): number {
  let count = 0;
  for (const record of deliveries.open(webhook, "sending")) if (isUnderWay(record, nowMs)) count += 1;
  return count;
}

/** A lease that is over is an attempt of which nobody knows what came. */
function leased(record: DeliveryRecord, nowMs: number, leaseMs: number): DeliveryRecord {
  const { state, attempts, trigger, claimedMs } = record;
  const interrupted: LoggedAttempt = {
    ...{ n: attempts.length + 1, trigger, startedAt: new Date(claimedMs), latencyMs: 0, status: undefined, errorCode: undefined },
    ...{ body: new Uint8Array(), interrupted: true },
  };
  return {
    ...record,
    state: "sending",
    fence: record.fence + 1,
    dueMs: nowMs + leaseMs,
    claimedMs: nowMs,
    attempts: state === "sending" ? [...attempts, interrupted] : attempts,
  };
}
