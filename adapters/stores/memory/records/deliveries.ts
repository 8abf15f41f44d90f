import type {
  DeliveryLease,
  DeliveryOutcome,
  DeliverySpread,
  DeliveryStore,
  DeliveryTrigger,
  NewEvent,
  RecordedDelivery,
  SpreadDeliveries,
  StoredEvent,
} from "../../../../src/ground/storage/queue/deliveries.js";
import { webhookAfterAttempt } from "../../../../src/ground/storage/queue/webhookLife.js";
import { type Layer, queueWrite } from "../layer.js";
import { claimDeliveries, dueInMs } from "./deliveryClaim.js";
import { attemptsOf, countDeliveries, listDeliveries, testTimes } from "./deliveryLog.js";
import { type DeliveryRecord, deliveryOf } from "./deliveryRecord.js";
import { allWebhooks, busyWebhooks } from "./deliveryRecords.js";
import { cancelPending, copyOfEvent, loggedAttempt, pendingAgain } from "./deliveryState.js";
import { countWaiting, heldBy, releaseClaim, removeEnded, whileHeld } from "./leasedRecords.js";
import { tenantOf } from "./records.js";
import { cancelWaiting, isBehind, nextTenant, takeWaiting, type WaitingEvent } from "./waiting.js";
import { putWebhook } from "./webhooks.js";

/** The deliveries of one layer. Each method is one synchronous step; methods that write wait for an open transaction. */
export function deliveriesOver(layer: Layer): DeliveryStore {
  const write = <R>(section: (layer: Layer) => R): Promise<R> => queueWrite(layer, () => section(layer));
  const change = (lease: DeliveryLease, changed: (record: DeliveryRecord, nowMs: number) => DeliveryRecord | undefined) =>
    write(({ records: { deliveries } }) => whileHeld(deliveries, isSending, lease, changed));
  return {
    enqueue: (events, { later = false } = {}) =>
      write(() => events.flatMap((event) => (later || isBehind(layer, event) ? keepWaiting(layer, event) : enqueue(layer, event)))),
    spread: (request) => write(() => spread(layer, request)),
    claim: (request) => write(() => claimDeliveries(layer, request)),
    unclaim: (claimId) =>
      write(({ records: { deliveries } }) => releaseClaim(deliveries, allWebhooks, claimId, (one) => pendingAgain(layer, one, 0))),
    record: (lease, outcome) => write(() => record(layer, lease, outcome)),
    release: (lease, delayMs) => change(lease, (one) => pendingAgain(layer, one, delayMs)),
    drop: (lease) => change(lease, (one, nowMs) => (one.attempts.length === 0 ? undefined : { ...one, state: "canceled", endedMs: nowMs })),
    dueInMs: async (maxPerWebhook, shares) => dueInMs(layer, maxPerWebhook, shares),
    depth: async (max) => depthOf(layer, max),
    async get(id) {
      const found = layer.records.deliveries.get(id);
      return found && deliveryOf(found);
    },
    attempts: async (id) => attemptsOf(layer, id),
    async event(id) {
      const event = layer.records.events.get(id);
      return event && copyOfEvent(event);
    },
    list: async (query) => listDeliveries(layer, query),
    counts: async (webhook) => countDeliveries(layer, webhook),
    replay: (replays) =>
      write(({ records: { deliveries, webhooks, events } }) =>
        replays.flatMap(({ id, of }) => {
          const original = deliveries.get(of);
          const event = original && events.get(original.event);
          if (event === undefined || original === undefined || webhooks.get(original.webhook)?.active !== true) return [];
          return add(layer, event, { id, webhook: original.webhook }, "replay") === undefined ? [] : [id];
        }),
      ),
    logTest: (event, { id, webhook, state }, attempt) =>
      write(({ records: { deliveries } }) => {
        const added = add(layer, event, { id, webhook }, "test");
        if (added === undefined) return false;
        keepEvent(layer, event);
        deliveries.put(id, { ...added, state, attempts: [loggedAttempt(added, attempt)], endedMs: added.createdMs });
        return true;
      }),
    testTimes: async (tenant, since, limit) => testTimes(layer, tenant, since, limit),
    sweep: (keepMs, max) => write(() => sweepDeliveries(layer, keepMs, max)),
  };
}

function enqueue(layer: Layer, event: NewEvent): readonly string[] {
  const made = event.deliveries.filter(
    (delivery) => layer.records.webhooks.get(delivery.webhook)?.active === true && add(layer, event, delivery, "auto") !== undefined,
  );
  if (made.length > 0) keepEvent(layer, event);
  return made.map(({ id }) => id);
}

/** Lets an event wait for its deliveries. @returns their ids */
function keepWaiting(layer: Layer, event: NewEvent): readonly string[] {
  const { id, type, tenant, deliveries } = event;
  if (deliveries.length === 0 || layer.records.waiting.get(id) !== undefined) return [];
  layer.records.waiting.put(id, { id, type, tenant: tenantOf(tenant), deliveries: deliveries.map((delivery) => ({ ...delivery })) });
  keepEvent(layer, event);
  return deliveries.map((delivery) => delivery.id);
}

function spread(layer: Layer, { max, after }: DeliverySpread): SpreadDeliveries | undefined {
  const next = nextTenant(layer, after && (after.tenant ?? ""));
  if (next === undefined) return undefined;
  const tenant = tenantOf(next);
  const made = takeWaiting(layer, tenant, max).reduce((sum, event) => sum + createWaiting(layer, event), 0);
  return { tenant, made };
}

/** @returns how many deliveries it made */
function createWaiting(layer: Layer, event: WaitingEvent): number {
  const { webhooks } = layer.records;
  const isMade = (delivery: WaitingEvent["deliveries"][number]) =>
    webhooks.get(delivery.webhook)?.active === true && add(layer, event, delivery, "auto") !== undefined;
  return event.deliveries.filter(isMade).length;
}

function keepEvent({ records: { events } }: Layer, event: StoredEvent): void {
  if (events.get(event.id) === undefined) events.put(event.id, copyOfEvent(event));
}

/** Adds a delivery that is due now; `undefined` if its id exists. */
function add(
  { records: { deliveries } }: Layer,
  event: Pick<StoredEvent, "id" | "type" | "tenant">,
  { id, webhook }: { readonly id: string; readonly webhook: string },
  trigger: DeliveryTrigger,
): DeliveryRecord | undefined {
  if (deliveries.get(id) !== undefined) return undefined;
  const nowMs = deliveries.clock.now();
  const added: DeliveryRecord = {
    ...{ id, number: deliveries.nextNumber(), event: event.id, type: event.type, webhook, tenant: tenantOf(event.tenant), trigger, state: "pending" },
    ...{ attempts: [], fence: 0, dueMs: nowMs, createdMs: nowMs, claimedMs: nowMs, claimId: undefined, target: undefined, endedMs: undefined },
  };
  deliveries.put(id, added);
  return added;
}

const isSending = ({ state }: DeliveryRecord) => state === "sending";

function record(layer: Layer, lease: DeliveryLease, outcome: DeliveryOutcome): RecordedDelivery | undefined {
  const { deliveries, webhooks } = layer.records;
  const held = heldBy(deliveries, isSending, lease);
  if (held === undefined) return undefined;
  const nowMs = deliveries.clock.now();
  const before = webhooks.get(held.webhook);
  const after = before && webhookAfterAttempt(before, outcome, new Date(nowMs));
  const isDisabled = before?.active === true && after?.active === false;
  if (after !== undefined && after !== before) {
    if (isDisabled) putWebhook(layer, after);
    else webhooks.put(after.id, after);
  }
  const attempts = outcome.attempt === undefined ? held.attempts : [...held.attempts, loggedAttempt(held, outcome.attempt)];
  const { next } = outcome;
  const kept = { ...held, attempts };
  const ended = next.state === "pending" ? pendingAgain(layer, kept, next.delayMs) : { ...kept, state: next.state, endedMs: nowMs };
  deliveries.put(ended.id, ended);
  if (isDisabled) {
    cancelPending(layer, held.webhook);
    cancelWaiting(layer, held.webhook);
  }
  return { state: ended.state, consecutiveFailures: after?.consecutiveFailures ?? 0, disabled: isDisabled ? after?.disabledReason : undefined };
}

/** Removes deliveries that ended more than `keepMs` ago, the oldest first, and events without deliveries. @returns how many deliveries it removed */
function sweepDeliveries(layer: Layer, keepMs: number, max: number): number {
  const { deliveries, events, waiting, webhooks } = layer.records;
  for (const webhook of [...busyWebhooks(deliveries)]) if (webhooks.get(webhook)?.active !== true) cancelPending(layer, webhook);
  const removed = removeEnded(deliveries, ({ endedMs }) => endedMs, keepMs, max);
  const left = new Set([...deliveries.entries()].map(([, { event }]) => event));
  // Also those whose deliveries were dropped.
  for (const [event] of [...events.entries()]) if (!left.has(event) && waiting.get(event) === undefined) events.delete(event);
  return removed;
}

function depthOf({ records: { deliveries, waiting } }: Layer, max: number): number {
  let depth = 0;
  for (const [, { deliveries: open }] of waiting.entries()) depth = Math.min(max, depth + open.length);
  return depth + countWaiting(deliveries, allWebhooks, max - depth);
}
