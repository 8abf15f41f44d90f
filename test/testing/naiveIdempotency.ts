import type { BeginRequest, IdempotencyStore } from "../../src/ground/storage/idempotency.js";

/** A mistake as people make them in stores of idempotency records. */
export type IdempotencyDefect =
  | "check, then insert"
  | "no fence"
  | "fenced by the operation alone"
  | "take-over with another fingerprint"
  | "take-over under a new operation"
  | "take-over without a new attempt"
  | "take-over of what is done"
  | "life counted from the last begin"
  | "expiry before the lease"
  | "no expiry"
  | "an abandon that forgets what is done"
  | "responses kept by reference"
  | "responses kept as text"
  | "a renewal for everybody"
  | "a purge of everything";

interface Held {
  operationId: string;
  attempt: number;
  fingerprint: string;
  leaseUntilMs: number;
  expiresMs: number;
  response?: Uint8Array;
}

/** The shortest store that keeps the contract, or with one defect does not. */
export function naiveIdempotency(clock: { now(): number }, defect?: IdempotencyDefect): IdempotencyStore {
  const records = new Map<string, Held>();

  const live = (id: string): Held | undefined => {
    const held = records.get(id);
    return held !== undefined && (held.expiresMs > clock.now() || defect === "no expiry") ? held : undefined;
  };

  const ownedBy = (id: string, operationId: string, attempt: number): Held | undefined => {
    const held = live(id);
    if (held === undefined || held.response !== undefined) return undefined;
    if (defect === "no fence") return held;
    return held.operationId === operationId && (held.attempt === attempt || defect === "fenced by the operation alone") ? held : undefined;
  };

  const lease = (held: Held, leaseMs: number): void => {
    held.leaseUntilMs = clock.now() + leaseMs;
    if (defect !== "expiry before the lease") held.expiresMs = Math.max(held.expiresMs, held.leaseUntilMs);
  };

  const isOverdue = (held: Held, fingerprint: string): boolean =>
    held.leaseUntilMs <= clock.now() && (held.fingerprint === fingerprint || defect === "take-over with another fingerprint");

  const insert = (id: string, { fingerprint, operationId, leaseMs, ttlMs }: BeginRequest): Held => {
    const held: Held = { operationId, attempt: 1, fingerprint, leaseUntilMs: 0, expiresMs: clock.now() + ttlMs };
    lease(held, leaseMs);
    records.set(id, held);
    return held;
  };

  const takeOver = (held: Held, { operationId, leaseMs }: BeginRequest): Held => {
    if (defect !== "take-over without a new attempt") held.attempt += 1;
    if (defect === "take-over under a new operation") held.operationId = operationId;
    delete held.response;
    lease(held, leaseMs);
    return held;
  };

  const read = (bytes: Uint8Array): Uint8Array => (defect === "responses kept by reference" ? bytes : new Uint8Array(bytes));
  const kept = (bytes: Uint8Array): Uint8Array =>
    defect === "responses kept as text" ? new TextEncoder().encode(new TextDecoder().decode(bytes)) : read(bytes);

  return {
    async begin(id, request) {
      const held = live(id);
      if (defect === "check, then insert") await Promise.resolve();
      if (held !== undefined && defect === "life counted from the last begin") held.expiresMs = clock.now() + request.ttlMs;
      const overdue = held !== undefined && isOverdue(held, request.fingerprint);
      if (held?.response !== undefined && !(overdue && defect === "take-over of what is done")) {
        return { kind: "done", fingerprint: held.fingerprint, response: read(held.response) };
      }
      if (held !== undefined && !overdue) {
        return { kind: "inFlight", fingerprint: held.fingerprint, retryAfterMs: Math.max(1, held.leaseUntilMs - clock.now()) };
      }
      const { operationId, attempt } = held === undefined ? insert(id, request) : takeOver(held, request);
      return { kind: "acquired", operationId, attempt };
    },
    async complete(id, operationId, attempt, response) {
      const held = ownedBy(id, operationId, attempt);
      if (held !== undefined) held.response = kept(response);
      return held !== undefined;
    },
    async abandon(id, operationId, attempt) {
      const done = defect === "an abandon that forgets what is done" && live(id)?.operationId === operationId;
      return (done || ownedBy(id, operationId, attempt) !== undefined) && records.delete(id);
    },
    async renew(id, operationId, attempt, leaseMs) {
      const held = defect === "a renewal for everybody" ? live(id) : ownedBy(id, operationId, attempt);
      if (held !== undefined) lease(held, leaseMs);
      return held !== undefined;
    },
    async purge() {
      const expired = [...records].filter(([, { expiresMs }]) => expiresMs <= clock.now() || defect === "a purge of everything");
      for (const [id] of expired) records.delete(id);
      return expired.length;
    },
  };
}
