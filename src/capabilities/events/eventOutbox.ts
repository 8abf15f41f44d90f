import type { Ids } from "../../engine/operation/ids/ids.js";
import type { Logger } from "../../engine/operation/logging/logger.js";
import type { EmittedEvent, RowEvent, RowEvents, RowWrite } from "../../engine/operation/write/rowEvents.js";
import type { Clock } from "../../ground/clock/clock.js";
import { turnIsOver, yieldToEventLoop } from "../../ground/http/yieldToEventLoop.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Call } from "../../ground/storage/collection.js";
import { pickMembers } from "../../ground/storage/compositeId.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { ReadRow } from "../../language/schema/rowReader.js";
import { serializeEvent, serializeResourceEvent } from "./event.js";
import { frozenRow } from "./frozenRow.js";
import type { EventReceiver, QueuedEvent } from "./receiver.js";
import type { Subjects } from "./subjects.js";

/** The events of one collection. */
export interface EventSource {
  readonly idNames: readonly string[];
  /** Makes the rows that the callbacks of its events get. */
  readonly read: ReadRow;
  readonly events: ReadonlyMap<string, RowEvent>;
}

export interface EventOutboxOptions {
  /** By collection; only collections with events. */
  readonly sources: ReadonlyMap<string, EventSource>;
  /** Those who get the events; may grow until the service starts. */
  readonly receivers: readonly EventReceiver[];
  readonly apiVersion: string;
  /** The most bytes of an event's body. */
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** The rows to store with events; `undefined` if no collection has a scope. */
  readonly subjects?: Subjects | undefined;
  /** The position in the current trace, which is stored with events. */
  trace?(): string | undefined;
}

/** Bytes of bodies that are held until they are enqueued: a write of many rows may have events of many megabytes. */
const heldBytes = 262_144;

/** A promise would hold the transaction of the write open. */
function atOnce<R>(type: string, callback: string, value: R): R {
  if (typeof value === "object" && value !== null && "then" in value) {
    throw new ConfigurationError(`The event "${type}": "${callback}" must return a value, not a promise.`);
  }
  return value;
}

/** Creates events: in the transaction of the write that causes them, or in one of the developer. */
export class EventOutbox implements RowEvents {
  readonly #options: EventOutboxOptions;
  readonly #enqueued = new Map<EventReceiver, number>();

  constructor(options: EventOutboxOptions) {
    this.#options = options;
  }

  /** Called when a transaction begins. @returns a function that wakes those for whom something was enqueued meanwhile */
  observeCommit(): () => void {
    const before = new Map(this.#enqueued);
    return () => {
      for (const [receiver, count] of this.#enqueued) if (count !== before.get(receiver)) receiver.wake();
    };
  }

  concerns(collection: string): boolean {
    return this.#options.sources.has(collection);
  }

  async join(tx: Storage, collection: string, writes: readonly RowWrite[], { tenant }: Call): Promise<void> {
    const source = this.#options.sources.get(collection);
    if (source === undefined) return;
    let [events, bytes]: [QueuedEvent[], number] = [[], 0];
    for (const write of writes) {
      for (const event of this.#causedBy(collection, source, write)) {
        events.push(event);
        bytes += event.bytes;
      }
      if (turnIsOver()) await yieldToEventLoop();
      if (bytes < heldBytes) continue;
      await this.#enqueue(tx, tenant, events);
      [events, bytes] = [[], 0];
    }
    await this.#enqueue(tx, tenant, events);
  }

  /**
   * Enqueues a custom event.
   *
   * @param tx the storage of the transaction that the event belongs to, or that of the service
   * @throws {ProblemError} EVENT_TOO_LARGE
   * @throws {ConfigurationError} for a type that is not in dot notation, data that is not a JSON object, or a row that is not one of its collection
   * @param except a webhook that must not receive the event
   * @returns the id of the event
   */
  async emit({ type, data, tenant, of }: EmittedEvent, tx: Storage, except?: string): Promise<string> {
    const { limitBytes, subjects } = this.#options;
    if (of !== undefined) subjects?.check(of);
    const event = serializeEvent({ ...this.#stamp(), type, data }, limitBytes);
    await this.#enqueue(tx, tenant, [{ ...event, subject: subjects?.of(type, of) }], except);
    return event.id;
  }

  #causedBy(collection: string, { idNames, read, events }: EventSource, { kind, row, before }: RowWrite): readonly QueuedEvent[] {
    const { logger, limitBytes, subjects } = this.#options;
    const caused: QueuedEvent[] = [];
    const possible = [...events].filter(([, event]) => event.on.has(kind));
    if (possible.length === 0) return caused;
    const [shown, shownBefore] = [frozenRow(read(row)), before && frozenRow(read(before))];
    for (const [type, event] of possible) {
      if (!atOnce(type, "when", event.when(shown, shownBefore))) continue;
      const data = atOnce(type, "data", event.data(shown));
      const serialized = serializeResourceEvent({ ...this.#stamp(), type, data }, pickMembers(row, idNames), limitBytes);
      if (serialized.isCut) logger.warn({ event: serialized.id, type }, "The data of an event was too large; only its id was kept.");
      caused.push({ ...serialized, subject: subjects?.of(type, { collection, row }) });
    }
    return caused;
  }

  #stamp() {
    const { ids, clock, apiVersion } = this.#options;
    return { ulid: ids.ulid(), now: clock.now(), apiVersion };
  }

  async #enqueue(tx: Storage, tenant: string | undefined, events: readonly QueuedEvent[], except?: string): Promise<void> {
    if (events.length === 0) return;
    const { receivers, trace } = this.#options;
    const origin = { tenant, except, trace: trace?.() };
    for (const receiver of receivers) {
      const count = await receiver.enqueue(tx, events, origin);
      if (count > 0) this.#enqueued.set(receiver, (this.#enqueued.get(receiver) ?? 0) + count);
    }
  }
}
