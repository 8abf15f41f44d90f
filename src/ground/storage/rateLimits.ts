/** How a limit is counted. */
export type RateLimitAlgorithm = "fixed-window" | "gcra";

/** What is taken from a limit by one call. */
export interface RateLimitTake {
  /** Name of the policy: policies with different names are counted separately. */
  readonly name: string;
  /** How much may be taken within the window; at least 1. */
  readonly limit: number;
  readonly windowMs: number;
  /** How much is taken now, from 1 to `limit`. It is taken as a whole or not at all. */
  readonly cost: number;
  /**
   * - `fixed-window`: the first call opens a window, and up to `limit` is taken until it ends. Around the end of a window up to twice the limit can be taken.
   * - `gcra`: a share is given back every `windowMs / limit` milliseconds, so that the rate is even.
   *
   * @see ITU-T I.371, generic cell rate algorithm
   */
  readonly algorithm: RateLimitAlgorithm;
}

/** The result of a call. */
export interface RateLimitTaken {
  readonly allowed: boolean;
  /** How much can still be taken now. */
  readonly remaining: number;
  /** When the whole limit can be taken again, in milliseconds from now. */
  readonly resetMs: number;
  /** When the same cost can be taken, in milliseconds from now; 0 if it was taken. */
  readonly retryMs: number;
}

/** Counts requests. A call is one atomic step for all processes that share the store, in one round trip; the clock is the store's own. */
export interface RateLimitStore {
  /**
   * @param key what is counted, of any length
   * @throws {Unavailable}
   */
  take(key: string, take: RateLimitTake): Promise<RateLimitTaken> | RateLimitTaken;
  /** Creates what the store needs. Safe when several processes start at once. */
  migrate?(): Promise<void>;
  /** Closes what the store itself opened. */
  close?(): Promise<void>;
}

/** What a store keeps for one key and policy. It may be forgotten `windowMs` after `atMs`. */
export interface RateLimitState {
  /** What was taken in the window; with GCRA what had not been given back at `atMs`, which may be a fraction. */
  readonly used: number;
  /** Begin of the window; with GCRA the time of the last call that took something. Milliseconds since the epoch. */
  readonly atMs: number;
}

/** The state after a call. */
export interface RateLimitStep extends RateLimitState {
  readonly allowed: boolean;
}

/** One call, for stores that can run it atomically by themselves. */
export function stepRateLimit(before: RateLimitState | undefined, take: RateLimitTake, nowMs: number): RateLimitStep {
  const { limit, windowMs, cost, algorithm } = take;
  // A state that is a window ahead is of a clock that was set back: a limit must not outlast its window by the hours that it was set back.
  if (before === undefined || Math.abs(nowMs - before.atMs) >= windowMs) return { allowed: true, used: cost, atMs: nowMs };
  const used = algorithm === "gcra" ? outstanding(before, take, nowMs) : before.used;
  if (used + cost > limit + tolerance) return { allowed: false, used: before.used, atMs: before.atMs };
  return { allowed: true, used: used + cost, atMs: algorithm === "gcra" ? Math.max(nowMs, before.atMs) : before.atMs };
}

/** The result of a call, from the state after it. */
export function describeTaken(step: RateLimitStep, take: RateLimitTake, nowMs: number): RateLimitTaken {
  const { allowed, used, atMs } = step;
  const { limit, windowMs, cost, algorithm } = take;
  if (algorithm === "fixed-window") {
    const resetMs = Math.max(0, atMs + windowMs - nowMs);
    return { allowed, remaining: Math.max(0, limit - used), resetMs, retryMs: allowed ? 0 : resetMs };
  }
  const left = outstanding(step, take, nowMs);
  const intervalMs = windowMs / limit;
  return {
    allowed,
    remaining: Math.max(0, Math.floor(limit - left + tolerance)),
    resetMs: left * intervalMs,
    retryMs: allowed ? 0 : Math.max(0, (left + cost - limit) * intervalMs),
  };
}

/** Sums of fractions must not refuse the last share of a limit. */
const tolerance = 1e-6;

/** What has not been given back. Clocks of processes may differ, so that `nowMs` may be before the last call. */
function outstanding({ used, atMs }: RateLimitState, { limit, windowMs }: RateLimitTake, nowMs: number): number {
  return Math.max(0, used - (Math.max(0, nowMs - atMs) * limit) / windowMs);
}
