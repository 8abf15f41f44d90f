import type { ClaimedDelivery, DeliveryClaim, DeliveryShares, LoggedAttempt, StoredEvent } from "../../../../src/ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../../src/ground/storage/queue/webhooks.js";
import type { Layer } from "../layer.js";
import { type DeliveryRecord, isInFlight } from "./deliveryRecord.js";
import { busyWebhooks, openDeliveries } from "./deliveryRecords.js";
import { type Candidate, DeliveryTally, type ReadyWebhook } from "./deliveryShares.js";
import { copyOfEvent } from "./deliveryState.js";
import { byDue } from "./queuedRecords.js";
import { copyOf } from "./webhooks.js";

/** Leases due deliveries within the limits of webhooks, tenants and shares; those with the fewest deliveries in flight come first. */
export function claimDeliveries(layer: Layer, { leaseMs, max, maxPerWebhook, shares, claimId }: DeliveryClaim): readonly ClaimedDelivery[] {
  const nowMs = layer.records.deliveries.clock.now();
  const tally = new DeliveryTally(readyWebhooks(layer, maxPerWebhook, shares, nowMs), shares);
  const candidates = tally.webhooks.flatMap((ready) => candidatesOf(layer, ready, tally, nowMs));
  // All deliveries of an event share one copy: its body may be large.
  const copies = new Map<string, StoredEvent>();
  return tally.choose(candidates, max).flatMap(({ record, ready: { webhook } }) => {
    const kept = layer.records.events.get(record.event);
    if (kept === undefined) return [];
    const event = copies.get(kept.id) ?? copyOfEvent(kept);
    copies.set(kept.id, event);
    const given = { ...leased(record, webhook, nowMs, leaseMs), claimId };
    layer.records.deliveries.put(given.id, given);
    const { id, fence, trigger, attempts } = given;
    const numbers = { attempt: attempts.length + 1, interrupted: attempts.filter((each) => each.interrupted).length };
    return [{ lease: { id, fence }, trigger, ...numbers, event, webhook: copyOf(webhook) }];
  });
}

/** Milliseconds until a claim can find a delivery; `undefined` if none is open. */
export function dueInMs(layer: Layer, maxPerWebhook: number, shares: DeliveryShares | undefined): number | undefined {
  const nowMs = layer.records.deliveries.clock.now();
  const tally = new DeliveryTally(readyWebhooks(layer, maxPerWebhook, shares, nowMs), shares);
  const dues = tally.webhooks.flatMap((ready) => {
    const { webhook } = ready;
    // At a limit, even an expired lease must wait for the end of a live one.
    const full = tally.fullShare(ready) ?? (ready.live.length >= ready.max ? [ready] : undefined);
    const due = full === undefined ? firstOpenDue(layer, webhook.id) : least(full.flatMap(({ live }) => live.map(({ dueMs }) => dueMs)));
    return due === undefined ? [] : [Math.max(due, webhook.pausedUntil?.getTime() ?? 0)];
  });
  const first = least(dues);
  return first === undefined ? undefined : Math.max(0, first - nowMs);
}

function least(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((one, other) => Math.min(one, other));
}

function firstOpenDue({ records: { deliveries } }: Layer, webhook: string): number | undefined {
  const [sending] = openDeliveries(deliveries, webhook, "sending");
  const [pending] = openDeliveries(deliveries, webhook, "pending");
  return sending === undefined || (pending !== undefined && pending.dueMs < sending.dueMs) ? pending?.dueMs : sending.dueMs;
}

function readyWebhooks(
  { records: { deliveries, webhooks } }: Layer,
  maxPerWebhook: number,
  shares: DeliveryShares | undefined,
  nowMs: number,
): readonly ReadyWebhook[] {
  return [...busyWebhooks(deliveries)].flatMap((id) => {
    const webhook = webhooks.get(id);
    if (webhook?.active !== true) return [];
    const live = [...openDeliveries(deliveries, id, "sending")].filter((record) => isInFlight(record, nowMs));
    const isSlow = webhook.timedOut || (shares !== undefined && live.some(({ claimedMs }) => claimedMs <= nowMs - shares.slowMs));
    return [{ webhook, live, max: Math.min(maxPerWebhook, webhook.limit ?? maxPerWebhook), isSlow }];
  });
}

function candidatesOf(layer: Layer, ready: ReadyWebhook, tally: DeliveryTally, nowMs: number): readonly Candidate[] {
  const { webhook, live, max } = ready;
  const free = max - live.length;
  if (free <= 0 || (webhook.pausedUntil?.getTime() ?? 0) > nowMs || tally.fullShare(ready) !== undefined) return [];
  const due = [...firstDue(layer, webhook.id, "pending", free, nowMs), ...firstDue(layer, webhook.id, "sending", free, nowMs)].sort(byDue);
  return due.slice(0, free).map((record, index) => ({ record, ready, rank: live.length + index + 1 }));
}

function firstDue(
  { records: { deliveries } }: Layer,
  webhook: string,
  state: "pending" | "sending",
  count: number,
  nowMs: number,
): readonly DeliveryRecord[] {
  const found: DeliveryRecord[] = [];
  for (const record of openDeliveries(deliveries, webhook, state)) {
    if (found.length >= count || record.dueMs > nowMs) break;
    found.push(record);
  }
  return found;
}

/** Leases a delivery. An expired lease becomes an interrupted attempt, whose outcome is unknown. */
function leased(record: DeliveryRecord, { url }: Webhook, nowMs: number, leaseMs: number): DeliveryRecord {
  const { state, attempts, trigger, claimedMs, target } = record;
  const interrupted: LoggedAttempt = {
    ...{ n: attempts.length + 1, trigger, startedAt: new Date(claimedMs), latencyMs: 0, status: undefined, errorCode: undefined, url: target },
    ...{ body: new Uint8Array(), interrupted: true },
  };
  return {
    ...record,
    state: "sending",
    fence: record.fence + 1,
    dueMs: nowMs + leaseMs,
    claimedMs: nowMs,
    target: url,
    attempts: state === "sending" ? [...attempts, interrupted] : attempts,
  };
}
