import { clock as clockSchema, optionsCheck, strict } from "../../../../src/ground/options/index.js";
import { type BeginRequest, type Begun, type IdempotencyStore, LateBegin } from "../../../../src/ground/storage/idempotency.js";
import { CommittedLayer, type Layer, queueWrite } from "../layer.js";
import { type Clock, type OperationRecord, type Records, systemClock } from "./records.js";

/** Options of `memoryIdempotency`. */
export interface MemoryIdempotencyOptions {
  /** Tells the time. Defaults to the clock of the system. */
  readonly clock?: Clock | undefined;
}

const check = /* @__PURE__ */ optionsCheck("memoryIdempotency", () => strict<MemoryIdempotencyOptions>({ clock: clockSchema() }));

/**
 * Idempotency records in the memory of this process, for tests, and for single processes that may lose them when they end.
 *
 * @example
 * const store = memoryIdempotency();
 * await store.begin("id", { fingerprint: "f", operationId: "o", leaseMs: 60_000, ttlMs: 86_400_000 }); // { kind: "acquired", … }
 */
export function memoryIdempotency(options: MemoryIdempotencyOptions = {}): IdempotencyStore {
  check(options);
  const { clock = systemClock } = options;
  return idempotencyOver(new CommittedLayer(clock));
}

/** The idempotency records of one layer. Each method is one synchronous step; methods that write wait for an open transaction. */
export function idempotencyOver(layer: Layer): IdempotencyStore {
  const write = <R>(section: (records: Records) => R): Promise<R> => queueWrite(layer, () => section(layer.records.operations));
  return {
    begin: (id, request) => write((records) => begin(records, id, request)),
    complete: (id, operationId, attempt, response) =>
      write((records) => {
        const held = heldRecord(records, id, operationId, attempt);
        if (held !== undefined) records.put(id, { ...held, response: copyOf(response) });
        return held !== undefined;
      }),
    abandon: (id, operationId, attempt) =>
      write((records) => {
        const held = heldRecord(records, id, operationId, attempt);
        if (held !== undefined) records.delete(id);
        return held !== undefined;
      }),
    unbegin: (id, operationId) =>
      write((records) => {
        const record = liveRecord(records, id);
        if (record?.begun !== operationId || record.response !== undefined) return false;
        if (record.attempt === 1) records.delete(id);
        else records.put(id, { ...record, leaseUntilMs: records.clock.now() });
        return true;
      }),
    renew: (id, operationId, attempt, leaseMs) =>
      write((records) => {
        const held = heldRecord(records, id, operationId, attempt);
        if (held !== undefined) records.put(id, leased(held, records.clock.now() + leaseMs));
        return held !== undefined;
      }),
    now: async () => layer.records.operations.clock.now(),
    async storedBytes(owner) {
      const nowMs = layer.records.operations.clock.now();
      let bytes = 0;
      for (const [, record] of layer.records.operations.entries()) {
        if (record.owner === owner && record.expiresMs > nowMs) bytes += record.response?.length ?? 0;
      }
      return bytes;
    },
    purge: () =>
      write((records) => {
        const nowMs = records.clock.now();
        const expired = [...records.entries()].filter(([, record]) => record.expiresMs <= nowMs);
        for (const [id] of expired) records.delete(id);
        return expired.length;
      }),
  };
}

function begin(records: Records, id: string, { fingerprint, operationId, leaseMs, ttlMs, owner, deadlineMs }: BeginRequest): Begun {
  const nowMs = records.clock.now();
  if (deadlineMs !== undefined && nowMs >= deadlineMs) throw new LateBegin();
  const record = liveRecord(records, id);
  if (record?.response !== undefined) return { kind: "done", fingerprint: record.fingerprint, response: copyOf(record.response) };
  if (record !== undefined && (record.leaseUntilMs > nowMs || record.fingerprint !== fingerprint)) {
    return { kind: "inFlight", fingerprint: record.fingerprint, retryAfterMs: Math.max(1, record.leaseUntilMs - nowMs) };
  }
  const taken = record ?? { operationId, attempt: 0, fingerprint, owner, expiresMs: nowMs + ttlMs };
  const attempt = taken.attempt + 1;
  records.put(id, leased({ ...taken, attempt, begun: operationId }, nowMs + leaseMs));
  return { kind: "acquired", operationId: taken.operationId, attempt };
}

/** A record never expires before its lease. */
function leased(record: Omit<OperationRecord, "leaseUntilMs">, leaseUntilMs: number): OperationRecord {
  return { ...record, leaseUntilMs, expiresMs: Math.max(record.expiresMs, leaseUntilMs) };
}

function liveRecord(records: Records, id: string): OperationRecord | undefined {
  const record = records.get(id);
  return record === undefined || record.expiresMs <= records.clock.now() ? undefined : record;
}

function heldRecord(records: Records, id: string, operationId: string, attempt: number): OperationRecord | undefined {
  const record = liveRecord(records, id);
  if (record === undefined || record.response !== undefined) return undefined;
  return record.operationId === operationId && record.attempt === attempt ? record : undefined;
}

/** A copy, so that later changes by callers and readers do not affect the stored bytes. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
