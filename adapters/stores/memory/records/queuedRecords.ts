import { turnIsOver, yieldToEventLoop } from "../../../../src/ground/http/yieldToEventLoop.js";
import type { Clock, Records } from "./records.js";
import { MapRecords, OverlayRecords } from "./records.js";

/** A record that is worked on when it is due. */
export interface QueuedRecord {
  readonly id: string;
  /** The order of creation. */
  readonly number: number;
  /** When it can be claimed; while it is held, the end of the lease. */
  readonly dueMs: number;
}

/** The queue of an open record. */
export interface QueuePlace {
  readonly group: string;
  /** The queue in the group. */
  readonly queue: string;
  /** Whether a worker has it under a lease, which may have ended. */
  readonly isHeld: boolean;
}

/** The place of a record; `undefined` if it has ended. */
export type PlaceOf<R> = (record: R) => QueuePlace | undefined;

/** Records by id, and open ones by queue. */
export interface QueuedRecords<R extends QueuedRecord> extends Records<R> {
  /** The queues of a group that may have open records. */
  queues(group: string): Iterable<string>;
  /** Open records of one queue, by due time. Stop iterating before you change a record. */
  open(place: QueuePlace): Iterable<R>;
  /** Returns one more with each call. */
  nextNumber(): number;
}

/** Orders by due time, then by creation. */
export function byDue(left: QueuedRecord, right: QueuedRecord): number {
  return left.dueMs - right.dueMs || left.number - right.number;
}

interface Queues<R extends QueuedRecord> {
  readonly pending: Queue<R>;
  readonly held: Queue<R>;
}

/** The committed records. */
export class CommittedQueues<R extends QueuedRecord> extends MapRecords<R> implements QueuedRecords<R> {
  readonly #placeOf: PlaceOf<R>;
  readonly #groups = new Map<string, Map<string, Queues<R>>>();
  #number = 0;

  constructor(clock: Clock, placeOf: PlaceOf<R>) {
    super(clock);
    this.#placeOf = placeOf;
  }

  override put(id: string, record: R): void {
    this.#leave(id);
    super.put(id, record);
    const place = this.#placeOf(record);
    if (place === undefined) return;
    const group = this.#groups.get(place.group) ?? new Map<string, Queues<R>>();
    this.#groups.set(place.group, group);
    const queues = group.get(place.queue) ?? { pending: new Queue<R>(), held: new Queue<R>() };
    group.set(place.queue, queues);
    queues[place.isHeld ? "held" : "pending"].add(record);
  }

  override delete(id: string): void {
    this.#leave(id);
    super.delete(id);
  }

  queues(group: string): Iterable<string> {
    return this.#groups.get(group)?.keys() ?? [];
  }

  open({ group, queue, isHeld }: QueuePlace): Iterable<R> {
    return this.#groups.get(group)?.get(queue)?.[isHeld ? "held" : "pending"].values() ?? [];
  }

  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  #leave(id: string): void {
    const record = this.get(id);
    const place = record && this.#placeOf(record);
    if (record === undefined || place === undefined) return;
    const group = this.#groups.get(place.group);
    const queues = group?.get(place.queue);
    queues?.[place.isHeld ? "held" : "pending"].remove(record);
    if (queues?.pending.isEmpty && queues.held.isEmpty) group?.delete(place.queue);
    if (group?.size === 0) this.#groups.delete(place.group);
  }
}

/** The changes of one transaction to queued records, on top of the layer below. */
export class OverlayQueues<R extends QueuedRecord> extends OverlayRecords<R> implements QueuedRecords<R> {
  declare protected readonly below: QueuedRecords<R>;
  readonly #placeOf: PlaceOf<R>;

  constructor(below: QueuedRecords<R>, placeOf: PlaceOf<R>) {
    super(below);
    this.#placeOf = placeOf;
  }

  queues(group: string): Iterable<string> {
    const changed = [...this.changes.values()].flatMap((record) => (record && this.#placeOf(record)) ?? []);
    return new Set([...this.below.queues(group), ...changed.flatMap((place) => (place.group === group ? [place.queue] : []))]);
  }

  open(place: QueuePlace): Iterable<R> {
    const isThere = (record: R) => {
      const other = this.#placeOf(record);
      return other?.group === place.group && other.queue === place.queue && other.isHeld === place.isHeld;
    };
    return this.over(this.below.open(place), isThere, byDue);
  }

  /** Records of the layer below, with the changes of this one. @param isThere whether a changed record belongs to them */
  protected *over(below: Iterable<R>, isThere: (record: R) => boolean, compare: (left: R, right: R) => number): Generator<R, void, void> {
    const own = [...this.changes.values()].filter((record): record is R => record !== undefined && isThere(record)).sort(compare);
    let next = 0;
    for (const record of below) {
      if (this.changes.has(record.id)) continue;
      for (let first = own[next]; first !== undefined && compare(first, record) < 0; first = own[next]) {
        yield first;
        next += 1;
      }
      yield record;
    }
    yield* own.slice(next);
  }

  nextNumber(): number {
    return this.below.nextNumber();
  }

  /** As `applyTo`, but yields to the event loop, because one event may have many receivers. */
  async applyInSlices(below: QueuedRecords<R>): Promise<void> {
    for (const [id, record] of this.changes) {
      if (record === undefined) below.delete(id);
      else below.put(id, record);
      if (turnIsOver()) await yieldToEventLoop();
    }
  }
}

/** Records of one queue by due time. Operations at both ends are cheap: most records enter at the end and leave at the front. */
class Queue<R extends QueuedRecord> {
  readonly #records: R[] = [];

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  add(record: R): void {
    this.#records.splice(this.#positionOf(record), 0, record);
  }

  remove(record: R): void {
    const position = this.#positionOf(record);
    if (this.#records[position]?.id !== record.id) return;
    if (position === 0) this.#records.shift();
    else this.#records.splice(position, 1);
  }

  values(): Iterable<R> {
    return this.#records.values();
  }

  /** Position of the first record that is not due before the given one. */
  #positionOf(record: R): number {
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
