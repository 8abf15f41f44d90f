import { DeliveryQueue } from "./deliveryQueue.js";
import { byDue, type DeliveryRecord, isOpen } from "./deliveryRecord.js";
import { MapRecords } from "./mapRecords.js";
import { OverlayRecords } from "./overlayRecords.js";
import type { Records } from "./records.js";

/** Deliveries by their ids, and those that are not over by their webhooks. */
export interface DeliveryRecords extends Records<DeliveryRecord> {
  /** Webhooks that may have deliveries that are not over. */
  webhooks(): Iterable<string>;
  /** Pending ones, or those being sent, by due time. Stop before you change one. */
  open(webhook: string, state: "pending" | "sending"): Iterable<DeliveryRecord>;
  /** One more with each call. */
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

/** What one transaction has changed over the deliveries below. */
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
}
