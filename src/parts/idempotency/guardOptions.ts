import { systemTimers, type Timers } from "../../ground/http/timers.js";
import { callable, flag, having, oneOf, optionsCheck, type Shape, strict, text, timers as timersSchema, whole } from "../../ground/options/index.js";
import type { IdempotencyStore } from "../../ground/storage/idempotency.js";
import { withDeadlines } from "./beginDeadline.js";
import { guardedStore } from "./guardedStore.js";
import type { IdempotencySettings } from "./performIdempotent.js";
import { purging } from "./purging.js";
import { storedBudget } from "./storedBudget.js";
import { purgeEveryMs, resolveTimes } from "./times.js";

/** Options of a guard. Only the store is required. */
export interface GuardOptions {
  /** Where the records are stored: `memoryIdempotency()`, `redisIdempotency(client)`, or the `idempotency` of a storage. */
  readonly store: IdempotencyStore;
  /** Responds 400 to requests without a key (default: false). */
  readonly required?: boolean | undefined;
  /** `shared` (default): callers without credentials share one space of keys; `refuse`: they may not use keys, which is 401. */
  readonly anonymous?: "shared" | "refuse" | undefined;
  /** The WWW-Authenticate header of that 401 (`Bearer`). */
  readonly challenge?: string | undefined;
  /** How long one attempt may take before another takes the operation over, in milliseconds (60,000). Must be longer than the slowest handler. */
  readonly leaseMs?: number | undefined;
  /** How long responses are stored, in milliseconds (24 hours). */
  readonly ttlMs?: number | undefined;
  /** How long a request waits for the first one with its key before it gets 409, in milliseconds (0). */
  readonly waitMs?: number | undefined;
  /** Whether handlers run without the guarantee while the store is unavailable (false): otherwise requests are 503. */
  readonly failOpen?: boolean | undefined;
  /** Which responses of 400 to 499 are stored (none): those that follow an effect of the handler. */
  readonly storesStatus?: ((status: number) => boolean) | undefined;
  /** Stores responses of 500 and above too, for effects that must never be attempted twice (false). */
  readonly storeServerErrors?: boolean | undefined;
  /** The most bytes of stored responses per principal (64 MiB): beyond that a replay has no body. */
  readonly maxStoredBytes?: number | undefined;
  /** URL of the page that explains the codes: the `type` of problems. */
  readonly problemDocs?: string | undefined;
  /** Called when the store failed but the client got a response anyway. */
  readonly onError?: ((error: unknown, message: string) => void) | undefined;
  /** The timers for `waitMs`. */
  readonly timers?: Timers | undefined;
  /** The clock for removing expired records, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** The schemas of {@link GuardOptions}. */
export const guardShape = (): Shape<GuardOptions> => ({
  store: having("a store of idempotency records, such as memoryIdempotency()", "begin"),
  required: flag(),
  anonymous: oneOf("shared", "refuse"),
  challenge: text(),
  leaseMs: whole(1),
  ttlMs: whole(1),
  waitMs: whole(0),
  maxStoredBytes: whole(0),
  failOpen: flag(),
  storesStatus: callable(),
  storeServerErrors: flag(),
  problemDocs: text("the address of a page"),
  onError: callable(),
  timers: timersSchema(),
  now: callable(),
});

const check = /* @__PURE__ */ optionsCheck("createGuard", () => strict<GuardOptions>(guardShape(), ["store"]));

/**
 * The settings of a guard.
 *
 * @throws {ConfigurationError} without a store, and for invalid times
 */
export function guardSettings(options: GuardOptions): IdempotencySettings {
  check(options);
  const { store, failOpen = false, storeServerErrors = false } = options;
  const times = resolveTimes(options);
  const { now = Date.now, onError } = options;
  const warn = (error: unknown) => onError?.(error, "Expired records of idempotency keys could not be removed.");
  return {
    store: purging(guardedStore(withDeadlines(store, now), store), { now, everyMs: purgeEveryMs, warn }),
    sharesTransactions: false,
    ...times,
    failOpen,
    storeServerErrors,
    budget: storedBudget(store, options.maxStoredBytes, now),
  };
}

/** Where time comes from, and what no two processes do at the same time. */
export function waitingOf({ timers = systemTimers }: GuardOptions): { readonly timers: Timers; readonly random: () => number } {
  return { timers, random: Math.random };
}
