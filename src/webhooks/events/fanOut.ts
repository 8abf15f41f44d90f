import type { SerializedEvent } from "../../events/event.js";
import type { EventOrigin, QueuedEvent } from "../../events/receiver.js";
import { turnIsOver, yieldToEventLoop } from "../../http/yieldToEventLoop.js";
import type { Ids } from "../../operation/ids.js";
import type { NewEvent } from "../../storage/deliveries.js";
import type { Storage } from "../../storage/storage.js";
import type { CompiledWebhook, KnownWebhooks } from "./knownWebhooks.js";

/** Deliveries that one call of the store creates, unless a single event has more. */
const chunkDeliveries = 400;

/** What a fan-out needs. */
interface FanOutOptions {
  readonly known: KnownWebhooks;
  readonly ids: Ids;
}

/**
 * Enqueues events for the webhooks of a tenant that subscribe to them, in the given transaction. Events without subscribers are not stored.
 *
 * Large fan-outs are written in chunks, with yields to the event loop.
 *
 * @returns the number of deliveries
 */
export async function fanOut(
  tx: Pick<Storage, "webhooks" | "deliveries" | "name">,
  events: readonly QueuedEvent[],
  { tenant, except, trace }: EventOrigin,
  { known, ids }: FanOutOptions,
): Promise<number> {
  const { webhooks, deliveries } = tx;
  if (webhooks === undefined || deliveries === undefined) throw new Error(`The storage "${tx.name}" keeps no webhooks.`);
  if (events.length === 0) return 0;
  const candidates = (await known.of(tenant, webhooks)).filter(({ id }) => id !== except);
  if (candidates.length === 0) return 0;
  let enqueued = 0;
  let chunk: NewEvent[] = [];
  let made = 0;
  const enqueue = async () => {
    if (chunk.length > 0) enqueued += (await deliveries.enqueue(chunk)).length;
    chunk = [];
    made = 0;
  };
  for (const event of events) {
    const to = await wantedBy(candidates, event);
    if (to.length === 0) continue;
    if (made + to.length > chunkDeliveries) await enqueue();
    const { id, type, createdAt, body } = event;
    const own = to.map((webhook) => ({ id: `dlv_${ids.ulid()}`, webhook }));
    const stored = { id, type, tenant, createdAt: new Date(createdAt), body: Buffer.from(body), trace, subject: event.subject?.() };
    chunk.push({ ...stored, deliveries: own });
    made += own.length;
  }
  await enqueue();
  return enqueued;
}

/** Ids of the webhooks that subscribe to an event. */
async function wantedBy(candidates: readonly CompiledWebhook[], { type, dataJson }: SerializedEvent): Promise<readonly string[]> {
  const typed = candidates.filter(({ matches }) => matches(type));
  const data: unknown = typed.some(({ filter }) => filter !== undefined) ? JSON.parse(dataJson) : undefined;
  const wanted: string[] = [];
  for (const { id, filter } of typed) {
    if (filter === undefined || filter(data)) wanted.push(id);
    if (turnIsOver()) await yieldToEventLoop();
  }
  return wanted;
}
