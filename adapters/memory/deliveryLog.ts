import type { Delivery, DeliveryQuery, DeliveryState, LoggedAttempt } from "../../src/storage/deliveries.js";
import { type DeliveryRecord, deliveryOf } from "./deliveryRecord.js";
import type { Layer } from "./layer.js";

/** The deliveries of a webhook that a query asks for. */
export function listDeliveries({ deliveries }: Layer, query: DeliveryQuery): readonly Delivery[] {
  const { webhook, states, type, since, until, latest = false, order = "desc", after, limit } = query;
  const own = [...deliveries.entries()].flatMap(([, record]) => (record.webhook === webhook ? [record] : []));
  const last = latest ? lastOfEvents(own) : undefined;
  const isAsked = ({ state, type: given, createdMs, number, event }: DeliveryRecord) =>
    (states === undefined || states.includes(state)) &&
    (type === undefined || given === type) &&
    (since === undefined || createdMs >= since.getTime()) &&
    (until === undefined || createdMs < until.getTime()) &&
    (after === undefined || (order === "asc" ? number > after : number < after)) &&
    (last === undefined || last.get(event) === number);
  const sign = order === "asc" ? 1 : -1;
  const asked = own.filter(isAsked).sort((left, right) => sign * (left.number - right.number));
  return asked.slice(0, limit).map(deliveryOf);
}

/** How many deliveries a webhook has of each state. */
export function countDeliveries({ deliveries }: Layer, webhook: string): Record<DeliveryState, number> {
  const counts = { pending: 0, sending: 0, succeeded: 0, dead: 0, canceled: 0 };
  for (const [, record] of deliveries.entries()) if (record.webhook === webhook) counts[record.state] += 1;
  return counts;
}

/** The attempts of a delivery, which nobody else holds. */
export function attemptsOf({ deliveries }: Layer, id: string): readonly LoggedAttempt[] {
  const attempts = deliveries.get(id)?.attempts ?? [];
  return attempts.map((attempt) => ({ ...attempt, body: new Uint8Array(attempt.body) }));
}

function lastOfEvents(records: readonly DeliveryRecord[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { event, number, trigger } of records) if (trigger !== "test" && number > (last.get(event) ?? 0)) last.set(event, number);
  return last;
}
