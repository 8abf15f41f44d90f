import type { Delivery, DeliveryQuery, DeliveryState, LoggedAttempt } from "../../../../src/ground/storage/queue/deliveries.js";
import type { Layer } from "../layer.js";
import { type DeliveryRecord, deliveryOf } from "./deliveryRecord.js";
import { tenantOf } from "./records.js";

/** The deliveries of a webhook that match a query. */
export function listDeliveries({ records: { deliveries } }: Layer, query: DeliveryQuery): readonly Delivery[] {
  const { webhook, states, type, since, until, latest = false, order = "desc", after, limit } = query;
  const own = [...deliveries.entries()].flatMap(([, record]) => (record.webhook === webhook ? [record] : []));
  const last = latest ? lastOfEvents(own) : undefined;
  const matches = ({ state, type: given, createdMs, number, event }: DeliveryRecord) =>
    (states === undefined || states.includes(state)) &&
    (type === undefined || given === type) &&
    (since === undefined || createdMs >= since.getTime()) &&
    (until === undefined || createdMs < until.getTime()) &&
    (after === undefined || (order === "asc" ? number > after : number < after)) &&
    (last === undefined || last.get(event) === number);
  const sign = order === "asc" ? 1 : -1;
  const found = own.filter(matches).sort((left, right) => sign * (left.number - right.number));
  return found.slice(0, limit).map(deliveryOf);
}

/** Counts the deliveries of a webhook by state. */
export function countDeliveries({ records: { deliveries } }: Layer, webhook: string): Record<DeliveryState, number> {
  const counts = { pending: 0, sending: 0, succeeded: 0, dead: 0, canceled: 0 };
  for (const [, record] of deliveries.entries()) if (record.webhook === webhook) counts[record.state] += 1;
  return counts;
}

/** The times of the tests of a tenant's webhooks, newest first. */
export function testTimes({ records: { deliveries } }: Layer, tenant: string | undefined, since: Date, limit: number): readonly Date[] {
  const times: number[] = [];
  for (const [, record] of deliveries.entries()) {
    if (record.trigger === "test" && record.tenant === tenantOf(tenant) && record.createdMs >= since.getTime()) times.push(record.createdMs);
  }
  const newest = times.sort((left, right) => right - left).slice(0, limit);
  return newest.map((ms) => new Date(ms));
}

/** Copies of the attempts of a delivery. */
export function attemptsOf({ records: { deliveries } }: Layer, id: string): readonly LoggedAttempt[] {
  const attempts = deliveries.get(id)?.attempts ?? [];
  return attempts.map((attempt) => ({ ...attempt, body: new Uint8Array(attempt.body) }));
}

function lastOfEvents(records: readonly DeliveryRecord[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { event, number, trigger } of records) if (trigger !== "test" && number > (last.get(event) ?? 0)) last.set(event, number);
  return last;
}
