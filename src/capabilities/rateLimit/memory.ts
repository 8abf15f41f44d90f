import { type Clock, systemClock } from "../../ground/clock/clock.js";
import { clock as clockSchema, optionsCheck, strict, whole } from "../../ground/options/index.js";
import {
  describeTaken,
  type RateLimitState,
  type RateLimitStore,
  type RateLimitTake,
  type RateLimitTaken,
  stepRateLimit,
} from "../../ground/storage/rateLimits.js";

/** Options of {@link memoryRateLimits}. */
export interface MemoryRateLimitOptions {
  /** How many keys of one policy are kept (100,000). Beyond it the oldest is forgotten, and counted from 0 again. */
  readonly maxKeys?: number | undefined;
  /** Tells the time. Defaults to the clock of the system. */
  readonly clock?: Clock | undefined;
}

/** Limits in memory, which answer at once. */
export interface MemoryRateLimits extends RateLimitStore {
  take(key: string, take: RateLimitTake): RateLimitTaken;
}

const check = /* @__PURE__ */ optionsCheck("memoryRateLimits", () => strict<MemoryRateLimitOptions>({ maxKeys: whole(1), clock: clockSchema() }));

/**
 * Counts in the memory of this process: each process has limits of its own, and they are forgotten when it ends.
 *
 * @example
 * rateLimit({ policies, store: memoryRateLimits({ maxKeys: 10_000 }) });
 */
export function memoryRateLimits(options: MemoryRateLimitOptions = {}): MemoryRateLimits {
  check(options);
  const { maxKeys = 100_000, clock = systemClock } = options;
  const policies = new Map<string, Map<string, RateLimitState>>();
  return {
    take(key, take) {
      const nowMs = clock.now();
      let states = policies.get(take.name);
      if (states === undefined) {
        states = new Map();
        policies.set(take.name, states);
      }
      const before = states.get(key);
      const after = stepRateLimit(before, take, nowMs);
      // A state moves to the end when its time changes. All windows of a policy are equally long, so that the first states end first.
      if (before !== undefined && before.atMs !== after.atMs) states.delete(key);
      states.set(key, after);
      if (before === undefined) forget(states, nowMs - take.windowMs, maxKeys);
      return describeTaken(after, take, nowMs);
    },
  };
}

/** Two at most for each new state, so that the work of a call is bounded and the map still shrinks. */
const forgottenPerCall = 2;

function forget(states: Map<string, RateLimitState>, endedMs: number, maxKeys: number): void {
  let left = forgottenPerCall;
  for (const [key, { atMs }] of states) {
    if (left === 0 || (atMs > endedMs && states.size <= maxKeys)) return;
    states.delete(key);
    left -= 1;
  }
}
