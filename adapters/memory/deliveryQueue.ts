import { byDue, type DeliveryRecord } from "./deliveryRecord.js";

/** Deliveries of one webhook by due time. Both ends are cheap: most come in behind, and leave in front. */
export class DeliveryQueue {
  readonly #records: DeliveryRecord[] = [];

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  add(record: DeliveryRecord): void {
    this.#records.splice(this.#placeOf(record), 0, record);
  }

  remove(record: DeliveryRecord): void {
    const place = this.#placeOf(record);
    if (this.#records[place]?.id !== record.id) return;
    if (place === 0) this.#records.shift();
    else this.#records.splice(place, 1);
  }

  values(): Iterable<DeliveryRecord> {
    return this.#records.values();
  }

  /** Position of the first that is not in front of the record. */
  #placeOf(record: DeliveryRecord): number {
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
