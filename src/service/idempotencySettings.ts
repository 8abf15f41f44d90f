import type { IdempotencySettings } from "../idempotency/performOnce.js";
import { purging } from "../idempotency/purging.js";
import { purgeEveryMs, resolveTimes } from "../idempotency/times.js";
import type { Clock } from "../operation/clock.js";
import { ConfigurationError } from "../problem/index.js";
import type { ServiceOptions } from "./options.js";

/**
 * How operations are remembered; `undefined` where they are not.
 *
 * @throws {ConfigurationError} for times that cannot be
 */
export function idempotencySettings(
  { idempotency = {}, storage, auth, anonymous, logger }: ServiceOptions,
  clock: Clock,
): IdempotencySettings | undefined {
  if (idempotency === false) return undefined;
  const { failOpen = false, storeServerErrors = false, store = storage.idempotency } = idempotency;
  const times = resolveTimes(idempotency, "idempotency.");
  if (store === undefined) {
    if (idempotency.store !== undefined || Object.keys(idempotency).length > 0) {
      throw new ConfigurationError(`The storage "${storage.name}" keeps no records for idempotency; give "idempotency.store".`);
    }
    return undefined;
  }
  if (auth !== undefined && auth.length > 0 && anonymous === "allow" && idempotency.anonymous === undefined) {
    logger?.warn({}, `Callers without credentials share one space of idempotency keys; "idempotency.anonymous" says whether they may.`);
  }
  const sharesTransactions = store === storage.idempotency && storage.transaction !== undefined;
  const warn = (error: unknown) => logger?.error({ err: error }, "Expired records of idempotency keys could not be removed.");
  const purged = purging(store, { now: () => clock.now(), everyMs: purgeEveryMs, warn });
  return { store: purged, sharesTransactions, ...times, failOpen, storeServerErrors };
}
