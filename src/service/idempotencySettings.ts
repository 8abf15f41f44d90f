import type { IdempotencySettings } from "../idempotency/performOnce.js";
import { purging } from "../idempotency/purging.js";
import type { Clock } from "../operation/clock.js";
import { ConfigurationError } from "../problem/index.js";
import type { ServiceOptions } from "./options.js";

const dayMs = 86_400_000;
const tenMinutesMs = 600_000;

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
  const { leaseMs = 60_000, ttlMs = dayMs, waitMs = 0, failOpen = false, storeServerErrors = false, store = storage.idempotency } = idempotency;
  for (const [name, value, least] of [
    ["leaseMs", leaseMs, 1],
    ["ttlMs", ttlMs, leaseMs],
    ["waitMs", waitMs, 0],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < least) {
      throw new ConfigurationError(`"idempotency.${name}" must be a whole number of at least ${least} milliseconds; got ${String(value)}.`);
    }
  }
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
  const purged = purging(store, { now: () => clock.now(), everyMs: tenMinutesMs, warn });
  return { store: purged, sharesTransactions, leaseMs, ttlMs, waitMs, failOpen, storeServerErrors };
}
