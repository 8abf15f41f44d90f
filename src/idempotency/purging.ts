import type { IdempotencyStore } from "../storage/idempotency.js";

/** When to free the room of records that have expired, and who hears of a failure. */
export interface PurgeOptions {
  readonly now: () => number;
  readonly everyMs: number;
  readonly warn: (error: unknown) => void;
}

/** The same store, which frees the room of what has expired now and then, beside a begin: no request waits for it. */
export function purging(store: IdempotencyStore, { now, everyMs, warn }: PurgeOptions): IdempotencyStore {
  if (store.purge === undefined) return store;
  let next = now() + everyMs;
  const renew = store.renew?.bind(store);
  return {
    begin(id, request) {
      if (now() >= next) {
        next = now() + everyMs;
        store.purge?.().catch(warn);
      }
      return store.begin(id, request);
    },
    complete: (id, operationId, attempt, response) => store.complete(id, operationId, attempt, response),
    abandon: (id, operationId, attempt) => store.abandon(id, operationId, attempt),
    ...(renew === undefined ? {} : { renew }),
  };
}
