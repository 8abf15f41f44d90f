import type { IdempotencyStore } from "../../ground/storage/idempotency.js";

/** When to remove expired records, and whom to tell of a failure. */
export interface PurgeOptions {
  readonly now: () => number;
  readonly everyMs: number;
  readonly warn: (error: unknown) => void;
}

/** Wraps a store so that it regularly removes expired records during a begin; no request waits for that. */
export function purging(store: IdempotencyStore, { now, everyMs, warn }: PurgeOptions): IdempotencyStore {
  if (store.purge === undefined) return store;
  let last = now();
  const renew = store.renew?.bind(store);
  return {
    begin(id, request) {
      // Also if the clock was set back.
      if (Math.abs(now() - last) >= everyMs) {
        last = now();
        store.purge?.().catch(warn);
      }
      return store.begin(id, request);
    },
    complete: (id, operationId, attempt, response) => store.complete(id, operationId, attempt, response),
    abandon: (id, operationId, attempt) => store.abandon(id, operationId, attempt),
    ...(renew === undefined ? {} : { renew }),
    ...(store.storedBytes && { storedBytes: store.storedBytes.bind(store) }),
  };
}
