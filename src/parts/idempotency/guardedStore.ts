import { ProblemError } from "../../ground/problem/index.js";
import type { IdempotencyStore } from "../../ground/storage/idempotency.js";

/**
 * A store that is started before its first record, and whose failure at a begin becomes a problem, because nothing has been done yet.
 *
 * @param origin the store to start, if `store` is a view of it
 *
 * `begin` throws a {@link ProblemError} STORAGE_UNAVAILABLE.
 */
export function guardedStore(store: IdempotencyStore, origin: Pick<IdempotencyStore, "migrate"> = store): IdempotencyStore {
  let ready: Promise<void> | undefined;
  return {
    async begin(id, request) {
      try {
        ready ??= Promise.resolve(origin.migrate?.());
        await ready.catch((error: unknown) => {
          ready = undefined;
          throw error;
        });
        return await store.begin(id, request);
      } catch (cause) {
        throw new ProblemError("STORAGE_UNAVAILABLE", "The store of idempotency keys is not available now.", {
          cause,
          headers: { "retry-after": "5" },
        });
      }
    },
    complete: (id, operationId, attempt, response) => store.complete(id, operationId, attempt, response),
    abandon: (id, operationId, attempt) => store.abandon(id, operationId, attempt),
    ...(store.purge && { purge: store.purge.bind(store) }),
    ...(store.unbegin && { unbegin: store.unbegin.bind(store) }),
    ...(store.renew && { renew: store.renew.bind(store) }),
    ...(store.storedBytes && { storedBytes: store.storedBytes.bind(store) }),
  };
}
