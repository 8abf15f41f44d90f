import { ProblemError } from "../problem/index.js";
import type { IdempotencyStore } from "../storage/idempotency.js";

/**
 * A store that is brought up before its first record, and whose failure at a begin is an answer: nothing has been done yet.
 *
 * `begin` throws a {@link ProblemError} STORAGE_UNAVAILABLE.
 */
export function guardedStore(store: IdempotencyStore): IdempotencyStore {
  let ready: Promise<void> | undefined;
  return {
    async begin(id, request) {
      try {
        ready ??= Promise.resolve(store.migrate?.());
        await ready.catch((error: unknown) => {
          ready = undefined;
          throw error;
        });
        return await store.begin(id, request);
      } catch (cause) {
        throw new ProblemError("STORAGE_UNAVAILABLE", "The store of idempotency keys cannot answer now.", { cause, headers: { "retry-after": "5" } });
      }
    },
    complete: (id, operationId, attempt, response) => store.complete(id, operationId, attempt, response),
    abandon: (id, operationId, attempt) => store.abandon(id, operationId, attempt),
    ...(store.purge && { purge: store.purge.bind(store) }),
    ...(store.renew && { renew: store.renew.bind(store) }),
  };
}
