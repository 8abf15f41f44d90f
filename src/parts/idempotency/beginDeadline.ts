import { type BeginRequest, type Begun, type IdempotencyStore, LateBegin } from "../../ground/storage/idempotency.js";

/** How long a measured clock offset is used. */
const knownMs = 60_000;
const defaultTimeoutMs = 30_000;

/**
 * Wraps a store so that its begins have a deadline by the store's clock: a begin that the client library sends late, after its request has given up, does
 * nothing. The clock offset is measured once a minute, and again when a begin is late.
 *
 * @param now milliseconds since the epoch
 */
export function withDeadlines(store: IdempotencyStore, now: () => number): IdempotencyStore {
  if (store.now === undefined) return store;
  const { beginTimeoutMs = defaultTimeoutMs } = store;
  let known: { readonly distanceMs: number; readonly sinceMs: number } | undefined;
  const deadline = async (): Promise<number | undefined> => {
    if (known === undefined || Math.abs(now() - known.sinceMs) >= knownMs) {
      const sinceMs = now();
      known = { distanceMs: ((await store.now?.()) ?? sinceMs) - sinceMs, sinceMs };
    }
    return now() + known.distanceMs + beginTimeoutMs;
  };
  const begin = async (id: string, request: BeginRequest): Promise<Begun> => store.begin(id, { ...request, deadlineMs: await deadline() });
  return {
    async begin(id, request) {
      const sentMs = now();
      try {
        return await begin(id, request);
      } catch (error) {
        // A begin that did not take that long met another clock offset than the measured one.
        if (!(error instanceof LateBegin) || now() - sentMs >= beginTimeoutMs) throw error;
        known = undefined;
        return begin(id, request);
      }
    },
    complete: (id, operationId, attempt, response) => store.complete(id, operationId, attempt, response),
    abandon: (id, operationId, attempt) => store.abandon(id, operationId, attempt),
    ...(store.unbegin && { unbegin: store.unbegin.bind(store) }),
    ...(store.renew && { renew: store.renew.bind(store) }),
    ...(store.purge && { purge: store.purge.bind(store) }),
    ...(store.storedBytes && { storedBytes: store.storedBytes.bind(store) }),
  };
}
