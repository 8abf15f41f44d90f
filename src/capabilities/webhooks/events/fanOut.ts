import type { Ids } from "../../../engine/operation/ids/ids.js";
import { outermost } from "../../../engine/operation/transaction/transactionsAround.js";
import { turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import type { DeliveryStore, NewEvent } from "../../../ground/storage/queue/deliveries.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { SerializedEvent } from "../../events/event.js";
import type { EventOrigin, QueuedEvent } from "../../events/receiver.js";
import type { CompiledWebhook, KnownWebhooks } from "./knownWebhooks.js";

/** Deliveries that one call of the store creates, unless a single event has more. */
const chunkDeliveries = 400;
/** Bytes of bodies that one call of the store gets, unless a single event has more. */
const chunkBytes = 262_144;
/** Deliveries that one transaction creates. The events of others wait: others would wait for a transaction that creates many. */
const maxAtOnce = 200;

/** What a fan-out needs. */
interface FanOutOptions {
  readonly known: KnownWebhooks;
  readonly ids: Ids;
  /** The storage of the service, on which each call is a transaction of its own. */
  readonly storage: Storage;
}

/** How many deliveries each transaction has got. */
const created = new WeakMap<Storage, number>();

/**
 * Enqueues events for the webhooks of a tenant that subscribe to them, in the given transaction. Events without subscribers are not stored.
 *
 * Who gets an event is decided here. If that makes many deliveries, they are made after the commit. Many events are written in chunks, with yields to the event loop.
 *
 * @returns the number of deliveries, including those to be made
 */
export async function fanOut(
  tx: Storage,
  events: readonly QueuedEvent[],
  origin: EventOrigin,
  { known, ids, storage }: FanOutOptions,
): Promise<number> {
  const { webhooks, deliveries } = tx;
  const { tenant, except, trace } = origin;
  if (webhooks === undefined || deliveries === undefined) throw new Error(`The storage "${tx.name}" keeps no webhooks.`);
  if (events.length === 0) return 0;
  const candidates = (await known.of(tenant, webhooks)).filter(({ id }) => id !== except);
  if (candidates.length === 0) return 0;
  const whole = outermost(tx);
  const chunks = new Chunks(deliveries, created.get(whole) ?? 0);
  for (const event of events) {
    const to = await wantedBy(candidates, event);
    if (to.length === 0) continue;
    const { id, type, createdAt, body } = event;
    const own = to.map((webhook) => ({ id: `dlv_${ids.ulid()}`, webhook }));
    const stored = { id, type, tenant, createdAt: new Date(createdAt), body: Buffer.from(body), trace, subject: event.subject?.() };
    await chunks.add({ ...stored, deliveries: own });
  }
  await chunks.flush();
  if (whole !== storage) created.set(whole, chunks.wanted);
  return chunks.enqueued;
}

/** Writes the events of one transaction. */
class Chunks {
  /** Deliveries of the transaction. */
  wanted: number;
  enqueued = 0;
  readonly #store: DeliveryStore;
  #later = false;
  #events: NewEvent[] = [];
  #deliveries = 0;
  #bytes = 0;

  constructor(store: DeliveryStore, wanted: number) {
    this.#store = store;
    this.wanted = wanted;
  }

  async add(event: NewEvent): Promise<void> {
    const { deliveries, body } = event;
    this.wanted += deliveries.length;
    const isLater = this.#store.spread !== undefined && this.wanted > maxAtOnce;
    const isFull = (!isLater && this.#deliveries + deliveries.length > chunkDeliveries) || this.#bytes + body.length > chunkBytes;
    if (isFull || isLater !== this.#later) await this.flush();
    this.#later = isLater;
    this.#events.push(event);
    this.#deliveries += deliveries.length;
    this.#bytes += body.length;
  }

  async flush(): Promise<void> {
    if (this.#events.length > 0) this.enqueued += (await this.#store.enqueue(this.#events, { later: this.#later })).length;
    this.#events = [];
    this.#deliveries = 0;
    this.#bytes = 0;
  }
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
