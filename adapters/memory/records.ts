/** What an operation has come to. Instants are milliseconds since the epoch. */
export interface OperationRecord {
  readonly operationId: string;
  readonly attempt: number;
  readonly fingerprint: string;
  readonly leaseUntilMs: number;
  readonly expiresMs: number;
  /** There when the operation is done. */
  readonly response?: Uint8Array | undefined;
}

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Records by their ids, of operations, jobs, webhooks or uploads: the committed ones, or those that one transaction sees. */
export interface Records<R = OperationRecord> {
  readonly clock: Clock;
  get(id: string): R | undefined;
  put(id: string, record: R): void;
  delete(id: string): void;
  entries(): Iterable<readonly [id: string, record: R]>;
}

/** Looked at for each one that is put in: more than one, so that what has expired goes faster than new ones come. */
const swept = 4;

/** The committed records. Those that have expired are found while new ones come in, a few at a time, so that nothing waits for a sweep. */
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
    for (let count = 0; count < swept; count++) {
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
