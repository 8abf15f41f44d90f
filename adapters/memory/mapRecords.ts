import type { Clock, Records } from "./records.js";

/** Committed records that stay until they are deleted, in the order in which they came. */
export class MapRecords<R> implements Records<R> {
  readonly clock: Clock;
  readonly #records = new Map<string, R>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get(id: string): R | undefined {
    return this.#records.get(id);
  }

  put(id: string, record: R): void {
    this.#records.set(id, record);
  }

  delete(id: string): void {
    this.#records.delete(id);
  }

  entries(): Iterable<readonly [id: string, record: R]> {
    return this.#records.entries();
  }
}
