import { systemTimers, type Timers } from "../http/timers.js";
import { ConfigurationError } from "../problem/index.js";
import type { IdempotencyStore } from "../storage/idempotency.js";
import { guardedStore } from "./guardedStore.js";
import type { IdempotencySettings } from "./performOnce.js";
import { purging } from "./purging.js";
import { purgeEveryMs, resolveTimes } from "./times.js";

/** How a guard works. Only the store is needed. */
export interface GuardOptions {
  readonly store: IdempotencyStore;
  /** Requests without a key are answered 400 (false). */
  readonly required?: boolean | undefined;
  /** Callers without credentials share one space of keys (default), or may not use keys: 401. */
  readonly anonymous?: "shared" | "refuse" | undefined;
  /** The WWW-Authenticate header of that 401 (`Bearer`). */
  readonly challenge?: string | undefined;
  /** How long one try may take before another takes the operation over, in milliseconds (60,000). Longer than the slowest handler. */
  readonly leaseMs?: number | undefined;
  /** How long answers are kept, in milliseconds (24 hours). */
  readonly ttlMs?: number | undefined;
  /** How long a request waits for the first one with its key before it is answered 409, in milliseconds (0). */
  readonly waitMs?: number | undefined;
  /** While the store is down, handlers run without their guarantee (default: 503). */
  readonly failOpen?: boolean | undefined;
  /** Which answers of 400 to 499 are kept (none): those that came after the handler had an effect. */
  readonly storesStatus?: ((status: number) => boolean) | undefined;
  /** Keep answers of 500 and above too: for effects that must not be tried twice whatever came of them (false). */
  readonly storeServerErrors?: boolean | undefined;
  /** Address of the page that explains the codes: the `type` of problems. */
  readonly problemDocs?: string | undefined;
  /** Hears of a store that failed where the client was answered all the same. */
  readonly onError?: ((error: unknown, message: string) => void) | undefined;
  /** Where the timers of `waitMs` come from. */
  readonly timers?: Timers | undefined;
  /** Milliseconds since the epoch: when expired records are removed, now and then. */
  readonly now?: (() => number) | undefined;
}

/**
 * The settings of a guard.
 *
 * @throws {ConfigurationError} without a store, and for times that cannot be
 */
export function guardSettings(options: GuardOptions): IdempotencySettings {
  const { store, failOpen = false, storeServerErrors = false } = options;
  if (typeof store?.begin !== "function") throw new ConfigurationError(`"store" must be a store of idempotency records, e.g. memoryIdempotency().`);
  const times = resolveTimes(options);
  const { now = Date.now, onError } = options;
  const warn = (error: unknown) => onError?.(error, "Expired records of idempotency keys could not be removed.");
  return {
    store: purging(guardedStore(store), { now, everyMs: purgeEveryMs, warn }),
    sharesTransactions: false,
    ...times,
    failOpen,
    storeServerErrors,
  };
}

/** Where time comes from, and what no two processes do at the same time. */
export function waitingOf({ timers = systemTimers }: GuardOptions): { readonly timers: Timers; readonly random: () => number } {
  return { timers, random: Math.random };
}
