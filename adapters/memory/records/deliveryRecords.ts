import { turnIsOver, yieldToEventLoop } from "../../../src/http/yieldToEventLoop.js";
import { byDue, type DeliveryRecord, isOpen } from "./deliveryRecord.js";
import type { Records } from "./records.js";
import { MapRecords, OverlayRecords } from "./records.js";

/** Deliveries by id, and open deliveries by webhook. */
export interface DeliveryRecords extends Records<DeliveryRecord> {
  /** Webhooks that may have open deliveries. */
  webhooks(): Iterable<string>;
  /** Open deliveries of one state, by due time. Stop iterating before you change a delivery. */
  open(webhook: string, state: "pending" | "sending"): Iterable<DeliveryRecord>;
  /** Returns one more with each call. */
  nextNumber(): number;
}

type Queues = Map<string, Record<"pending" | "sending", DeliveryQueue>>;

/** The committed deliveries. */
export class CommittedDeliveries extends MapRecords<DeliveryRecord> implements DeliveryRecords {
  readonly #queues: Queues = new Map();
  #number = 0;

  override put(id: string, record: DeliveryRecord): void {
    this.#leave(id);
    super.put(id, record);
    if (!isOpen(record)) return;
    const queues = this.#queues.get(record.webhook) ?? { pending: new DeliveryQueue(), sending: new DeliveryQueue() };
    this.#queues.set(record.webhook, queues);
    queues[record.state === "sending" ? "sending" : "pending"].add(record);
  }

  override delete(id: string): void {
    this.#leave(id);
    super.delete(id);
  }

  webhooks(): Iterable<string> {
    return this.#queues.keys();
  }

  open(webhook: string, state: "pending" | "sending"): Iterable<DeliveryRecord> {
    return this.#queues.get(webhook)?.[state].values() ?? [];
  }

  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  #leave(id: string): void {
    const record = this.get(id);
    const queues = record && this.#queues.get(record.webhook);
    if (record === undefined || queues === undefined || !isOpen(record)) return;
    queues[record.state === "sending" ? "sending" : "pending"].remove(record);
    if (queues.pending.isEmpty && queues.sending.isEmpty) this.#queues.delete(record.webhook);
  }
}

/** The changes of one transaction to deliveries, on top of the layer below. */
export class OverlayDeliveries extends OverlayRecords<DeliveryRecord> implements DeliveryRecords {
  readonly #below: DeliveryRecords;
  readonly #changed = new Map<string, DeliveryRecord | undefined>();

  constructor(below: DeliveryRecords) {
    super(below);
    this.#below = below;
  }

  override put(id: string, record: DeliveryRecord): void {
    super.put(id, record);
    this.#changed.set(id, record);
  }

  override delete(id: string): void {
    super.delete(id);
    this.#changed.set(id, undefined);
  }

  webhooks(): Iterable<string> {
    const changed = [...this.#changed.values()].flatMap((record) => (record === undefined ? [] : [record.webhook]));
    return new Set([...this.#below.webhooks(), ...changed]);
  }

  *open(webhook: string, state: "pending" | "sending"): Generator<DeliveryRecord, void, void> {
    const own = [...this.#changed.values()].filter((record): record is DeliveryRecord => record?.webhook === webhook && record.state === state);
    own.sort(byDue);
    let next = 0;
    for (const below of this.#below.open(webhook, state)) {
      if (this.#changed.has(below.id)) continue;
      for (let first = own[next]; first !== undefined && byDue(first, below) < 0; first = own[next]) {
        yield first;
        next += 1;
      }
      yield below;
    }
    yield* own.slice(next);
  }

  nextNumber(): number {
    return this.#below.nextNumber();
  }

  /** As `applyTo`, but yields to the event loop, because one event may have deliveries for many webhooks. */
  async applyInSlices(below: DeliveryRecords): Promise<void> {
    for (const [id, record] of this.#changed) {
      if (record === undefined) below.delete(id);
      else below.put(id, record);
      if (turnIsOver()) await yieldToEventLoop();
    }
  }
}

/** Deliveries of one webhook by due time. Operations at both ends are cheap: most deliveries enter at the end and leave at the front. */
class DeliveryQueue {
  readonly #records: DeliveryRecord[] = [];

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  add(record: DeliveryRecord): void {
    this.#records.splice(this.#positionOf(record), 0, record);
  }

  remove(record: DeliveryRecord): void {
    const position = this.#positionOf(record);
    if (this.#records[position]?.id !== record.id) return;
    if (position === 0) this.#records.shift();
    else this.#records.splice(position, 1);
  }

  values(): Iterable<DeliveryRecord> {
    return this.#records.values();
  }

  /** Position of the first record that is not due before the given one. */
  #positionOf(record: DeliveryRecord): number {
    const last = this.#records.at(-1);
    if (last !== undefined && byDue(last, record) < 0) return this.#records.length;
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#records[middle];
      if (other !== undefined && byDue(other, record) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
