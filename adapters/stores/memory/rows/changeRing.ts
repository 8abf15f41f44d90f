import { randomBytes } from "node:crypto";
import type { ChangeLog, ChangePage, KeptChanges, RowChange } from "../../../../src/ground/storage/changes.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Clock } from "../records/records.js";

/** The most changes of a collection, also of one whose changes nothing drops. */
const maxChanges = 100_000;

interface Entry {
  readonly number: number;
  readonly at: number;
  readonly change: RowChange;
}

/** The committed changes of collections, in their order. Its positions hold until the process ends. */
export class ChangeRing implements ChangeLog {
  readonly #clock: Clock;
  /** Another process has other positions. */
  readonly #origin = randomBytes(6).toString("hex");
  readonly #entries = new Map<string, Entry[]>();
  /** The number of the last change that was dropped, by collection. */
  readonly #dropped = new Map<string, number>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a change that has just been committed. */
  add(collection: string, change: RowChange): void {
    const entries = this.#entries.get(collection) ?? [];
    this.#entries.set(collection, entries);
    this.#last += 1;
    entries.push({ number: this.#last, at: this.#clock.now(), change });
    if (entries.length > maxChanges) this.#drop(collection, entries, maxChanges / 2);
  }

  async head(): Promise<string> {
    return this.#position(this.#last);
  }

  async read({ name }: CollectionModel, after: string, limit: number): Promise<ChangePage | undefined> {
    const number = this.#numberOf(after);
    if (number === undefined || number < (this.#dropped.get(name) ?? 0)) return undefined;
    const entries = this.#entries.get(name) ?? [];
    const start = firstAfter(entries, number);
    const page = entries.slice(start, start + limit);
    return {
      changes: page.map(({ change }) => change),
      position: this.#position(page.at(-1)?.number ?? number),
      hasMore: start + page.length < entries.length,
    };
  }

  async prune({ name }: CollectionModel, { changes, ms }: KeptChanges): Promise<void> {
    const entries = this.#entries.get(name) ?? [];
    const oldest = this.#clock.now() - ms;
    const young = entries.findIndex(({ at }) => at >= oldest);
    this.#drop(name, entries, Math.max(young === -1 ? entries.length : young, entries.length - changes));
  }

  #drop(collection: string, entries: Entry[], count: number): void {
    if (count <= 0) return;
    const last = entries[count - 1];
    entries.splice(0, count);
    if (last !== undefined) this.#dropped.set(collection, last.number);
  }

  #position(number: number): string {
    return `${this.#origin}.${number}`;
  }

  #numberOf(position: string): number | undefined {
    const [origin, number = ""] = position.split(".");
    return origin === this.#origin && /^\d{1,16}$/.test(number) ? Number(number) : undefined;
  }
}

/** The index of the first entry with a higher number. */
function firstAfter(entries: readonly Entry[], number: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.number ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}
