import type { Clock, OperationRecord, Records } from "./records.js";

/** What one transaction has changed over the records below. */
export class OverlayRecords implements Records {
  readonly clock: Clock;
  readonly #below: Records;
  /** `undefined` where the record is gone. */
  readonly #changes = new Map<string, OperationRecord | undefined>();

  constructor(below: Records) {
    this.clock = below.clock;
    this.#below = below;
  }

  get(id: string): OperationRecord | undefined {
    return this.#changes.has(id) ? this.#changes.get(id) : this.#below.get(id);
  }

  put(id: string, record: OperationRecord): void {
    this.#changes.set(id, record);
  }

  delete(id: string): void {
    this.#changes.set(id, undefined);
  }

  *entries(): Generator<readonly [id: string, record: OperationRecord], void, void> {
    for (const [id, record] of this.#below.entries()) if (!this.#changes.has(id)) yield [id, record];
    for (const [id, record] of this.#changes) if (record !== undefined) yield [id, record];
  }

  applyTo(below: Records): void {
    for (const [id, record] of this.#changes) {
      if (record === undefined) below.delete(id);
      else below.put(id, record);
    }
  }
}
