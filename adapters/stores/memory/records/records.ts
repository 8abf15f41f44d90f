/** A stored idempotency record. Times are milliseconds since the epoch. */
export interface OperationRecord {
  readonly operationId: string;
  readonly attempt: number;
  readonly fingerprint: string;
  readonly leaseUntilMs: number;
  /** The operation id of the begin that made the lease. */
  readonly begun: string;
  readonly expiresMs: number;
  readonly owner?: string | undefined;
  /** Set when the operation is done. */
  readonly response?: Uint8Array | undefined;
}

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Records of one kind by id: the committed ones, or those that one transaction sees. */
export interface Records<R = OperationRecord> {
  readonly clock: Clock;
  get(id: string): R | undefined;
  put(id: string, record: R): void;
  delete(id: string): void;
  entries(): Iterable<readonly [id: string, record: R]>;
}

/** Records that each `put` checks for expiry. A new record takes two puts, its begin and its end, so that expired ones are removed faster than new ones arrive. */
const checkedPerPut = 2;

/** The committed idempotency records. Each `put` also removes a few expired ones, so that no long sweep is needed. */
export class CommittedRecords implements Records {
  readonly clock: Clock;
  readonly #records = new Map<string, OperationRecord>();
  #sweep = this.#records.entries();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get(id: string): OperationRecord | undefined {
    return this.#records.get(id);
  }

  put(id: string, record: OperationRecord): void {
    this.#sweepSome();
    this.#records.set(id, record);
  }

  delete(id: string): void {
    this.#records.delete(id);
  }

  entries(): Iterable<readonly [id: string, record: OperationRecord]> {
    return this.#records.entries();
  }

  #sweepSome(): void {
    const nowMs = this.clock.now();
    for (let count = 0; count < checkedPerPut; count++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#records.entries();
        return;
      }
      const [id, { expiresMs }] = next.value;
      if (expiresMs <= nowMs) this.#records.delete(id);
    }
  }
}

/** The tenant as it is stored with records. The empty string means no tenant, as in the SQL stores. */
export function tenantOf(tenant: string | undefined): string | undefined {
  return tenant === "" ? undefined : tenant;
}

/** Committed records in the order of their creation, until they are deleted. */
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

/** No transaction changes all kinds of records: the map of each is made with its first change. */
const unchanged: ReadonlyMap<string, undefined> = new Map();

/** The changes of one transaction to records, on top of the layer below. */
export class OverlayRecords<R> implements Records<R> {
  protected readonly below: Records<R>;
  #changes: Map<string, R | undefined> | undefined;

  constructor(below: Records<R>) {
    this.below = below;
  }

  get clock(): Clock {
    return this.below.clock;
  }

  /** `undefined` marks a deleted record. */
  protected get changes(): ReadonlyMap<string, R | undefined> {
    return this.#changes ?? unchanged;
  }

  get(id: string): R | undefined {
    return this.changes.has(id) ? this.changes.get(id) : this.below.get(id);
  }

  put(id: string, record: R): void {
    this.#change(id, record);
  }

  delete(id: string): void {
    this.#change(id, undefined);
  }

  /** In the order of the layer below, then the new ones. */
  *entries(): Generator<readonly [id: string, record: R], void, void> {
    for (const [id, below] of this.below.entries()) {
      const record = this.changes.has(id) ? this.changes.get(id) : below;
      if (record !== undefined) yield [id, record];
    }
    for (const [id, record] of this.changes) if (record !== undefined && this.below.get(id) === undefined) yield [id, record];
  }

  changedIds(): Iterable<string> {
    return this.changes.keys();
  }

  applyTo(below: Records<R>): void {
    for (const [id, record] of this.changes) {
      if (record === undefined) below.delete(id);
      else below.put(id, record);
    }
  }

  #change(id: string, record: R | undefined): void {
    this.#changes ??= new Map();
    this.#changes.set(id, record);
  }
}
