import type { Clock, Records } from "./records.js";

/** What one transaction has changed over the records below. */
export class OverlayRecords<R> implements Records<R> {
  readonly clock: Clock;
  readonly #below: Records<R>;
  /** `undefined` where the record is gone. */
  readonly #changes = new Map<string, R | undefined>();

  constructor(below: Records<R>) {
    this.clock = below.clock;
    this.#below = below;
  }

  get(id: string): R | undefined {
    return this.#changes.has(id) ? this.#changes.get(id) : this.#below.get(id);
  }

  put(id: string, record: R): void {
    this.#changes.set(id, record);
  }

  delete(id: string): void {
    this.#changes.set(id, undefined);
  }

  /** In the order below, what is new behind. */
  *entries(): Generator<readonly [id: string, record: R], void, void> {
    for (const [id, below] of this.#below.entries()) {
      const record = this.#changes.has(id) ? this.#changes.get(id) : below;
      if (record !== undefined) yield [id, record];
    }
    for (const [id, record] of this.#changes) if (record !== undefined && this.#below.get(id) === undefined) yield [id, record];
  }

  applyTo(below: Records<R>): void {
    for (const [id, record] of this.#changes) {
      if (record === undefined) below.delete(id);
      else below.put(id, record);
    }
  }
}
