import type { Clock } from "../../ground/clock/clock.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { withDeadlines } from "../../parts/idempotency/beginDeadline.js";
import type { IdempotencySettings } from "../../parts/idempotency/performIdempotent.js";
import { purging } from "../../parts/idempotency/purging.js";
import { storedBudget } from "../../parts/idempotency/storedBudget.js";
import { purgeEveryMs, resolveTimes } from "../../parts/idempotency/times.js";
import type { ServiceOptions } from "./options.js";

/**
 * Resolves how operations under an Idempotency-Key are recorded; `undefined` if they are not.
 *
 * @throws {ConfigurationError} for invalid times, and for keys that are required but cannot be recorded
 */
export function idempotencySettings(
  { idempotency = {}, storage, auth, anonymous, logger, resources }: ServiceOptions,
  clock: Clock,
): IdempotencySettings | undefined {
  const requiring = resources.find(({ requireIdempotencyKey }) => requireIdempotencyKey);
  if (idempotency === false) {
    if (requiring !== undefined) throw cannotRequire(requiring.name, `"idempotency: false" ignores keys. Leave one of the two out.`);
    return undefined;
  }
  const { failOpen = false, storeServerErrors = false, store = storage.idempotency } = idempotency;
  const times = resolveTimes(idempotency, "idempotency.");
  if (store === undefined) {
    if (idempotency.store !== undefined || Object.keys(idempotency).length > 0) {
      throw new ConfigurationError(`The storage "${storage.name}" keeps no records for idempotency; give "idempotency.store".`);
    }
    if (requiring !== undefined)
      throw cannotRequire(requiring.name, `the storage "${storage.name}" keeps no records of them; give "idempotency.store".`);
    return undefined;
  }
  if (auth !== undefined && auth.length > 0 && anonymous === "allow" && idempotency.anonymous === undefined) {
    if (logger) logger.warn({}, `Callers without credentials share one space of idempotency keys; "idempotency.anonymous" says whether they may.`);
  }
  const sharesTransactions = store === storage.idempotency && storage.transaction !== undefined;
  const warn = (error: unknown) => {
    if (logger) logger.error({ err: error }, "Expired records of idempotency keys could not be removed.");
  };
  const purged = purging(
    withDeadlines(store, () => clock.now()),
    { now: () => clock.now(), everyMs: purgeEveryMs, warn },
  );
  const budget = storedBudget(store, idempotency.maxStoredBytes, () => clock.now(), "idempotency.");
  return { store: purged, sharesTransactions, ...times, failOpen, storeServerErrors, budget };
}

function cannotRequire(resource: string, why: string): ConfigurationError {
  return new ConfigurationError(`${resource}: "requireIdempotencyKey" cannot hold: ${why}`);
}
