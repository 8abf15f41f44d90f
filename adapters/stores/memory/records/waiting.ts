import type { NewEvent } from "../../../../src/ground/storage/queue/deliveries.js";
import type { Layer } from "../layer.js";
import { tenantOf } from "./records.js";

/** An event, and the deliveries that it waits for. */
export type WaitingEvent = Pick<NewEvent, "id" | "type" | "tenant" | "deliveries">;

/** Whether earlier events of the tenant wait. */
export function isBehind({ records: { waiting } }: Layer, { tenant }: Pick<NewEvent, "tenant">): boolean {
  for (const [, event] of waiting.entries()) if (event.tenant === tenantOf(tenant)) return true;
  return false;
}

/** The tenant after the given one whose events wait, and the first one after the last; the empty text stands for no tenant. */
export function nextTenant({ records: { waiting } }: Layer, after: string | undefined): string | undefined {
  let [first, next]: (string | undefined)[] = [];
  for (const [, { tenant = "" }] of waiting.entries()) {
    if (first === undefined || tenant < first) first = tenant;
    if (after !== undefined && tenant > after && (next === undefined || tenant < next)) next = tenant;
  }
  return next ?? first;
}

/** Takes `max` deliveries of the first events of a tenant. @returns the events with these deliveries; one of them may wait for others */
export function takeWaiting({ records: { waiting } }: Layer, tenant: string | undefined, max: number): readonly WaitingEvent[] {
  const taken: WaitingEvent[] = [];
  let room = max;
  for (const [, event] of waiting.entries()) {
    if (room <= 0) break;
    if (event.tenant !== tenant) continue;
    taken.push({ ...event, deliveries: event.deliveries.slice(0, room) });
    room -= event.deliveries.length;
  }
  for (const { id, deliveries } of taken) keepLeft(waiting, id, (_delivery, index) => index >= deliveries.length);
  return taken;
}

/** Lets no event wait for a delivery to the webhook any more. */
export function cancelWaiting({ records: { waiting } }: Layer, webhook: string): void {
  for (const [id] of [...waiting.entries()]) keepLeft(waiting, id, (delivery) => delivery.webhook !== webhook);
}

/** Keeps some of the deliveries of an event. An event without a delivery is removed by a sweep. */
function keepLeft(
  waiting: Layer["records"]["waiting"],
  id: string,
  isLeft: (delivery: WaitingEvent["deliveries"][number], index: number) => boolean,
): void {
  const event = waiting.get(id);
  const deliveries = event?.deliveries.filter(isLeft) ?? [];
  if (event === undefined || deliveries.length === event.deliveries.length) return;
  if (deliveries.length === 0) waiting.delete(id);
  else waiting.put(id, { ...event, deliveries });
}
