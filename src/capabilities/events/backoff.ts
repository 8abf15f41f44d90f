import { pooledRandom, type Random } from "../../engine/operation/random.js";
import { argumentError, readMembers, requireNumber } from "../../ground/problem/argument.js";

const [minute, hour] = [60_000, 3_600_000];

/** The default delays before each attempt, in milliseconds: 0, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h. */
export const defaultScheduleMs: readonly number[] = [0, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour];

const maxDelayMs = 24 * hour;
const jitter = 0.2;

const systemRandom = pooledRandom();

/** A failed attempt that may be retried. */
export interface EndedAttempt {
  /** The number of the attempt, from 1; 0 for an event that was just emitted. */
  readonly attempt: number;
  /** When it ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  readonly scheduleMs?: readonly number[] | undefined;
  /** Returns a number in [0, 1). Defaults to the random numbers of the system. */
  readonly random?: Random | undefined;
  /** The delay that the receiver requested by `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * When the next attempt is due, in milliseconds since the epoch; `undefined` after the last attempt of the schedule.
 *
 * The delay varies randomly by a fifth, so that deliveries that failed together are not retried together. It is at least `retryAfterMs`, and at most 24 hours.
 *
 * @throws {TypeError} for an argument of a wrong type
 */
export function nextAttempt(ended: EndedAttempt): number | undefined {
  const members = readMembers("ended", ended, ["attempt", "endedAt", "scheduleMs", "random", "retryAfterMs"]);
  const { attempt, endedAt, scheduleMs = defaultScheduleMs, random = systemRandom, retryAfterMs = 0 } = members;
  if (!Number.isSafeInteger(attempt) || attempt < 0) throw argumentError("attempt", "a whole number of at least 0", attempt);
  requireNumber("endedAt", endedAt);
  // Infinity is treated as one day, like any longer delay.
  if (retryAfterMs !== Number.POSITIVE_INFINITY) requireNumber("retryAfterMs", retryAfterMs);
  if (!Array.isArray(scheduleMs)) throw argumentError("scheduleMs", "an array of milliseconds", scheduleMs);
  for (const [index, ms] of scheduleMs.entries()) requireNumber(`scheduleMs[${index}]`, ms);
  if (typeof random !== "function") throw argumentError("random", "a function", random);
  const baseMs = scheduleMs[attempt];
  if (baseMs === undefined) return undefined;
  const chance: unknown = random();
  requireNumber("random()", chance, 0);
  const delayMs = Math.round(baseMs * (1 - jitter + 2 * jitter * chance));
  return endedAt + Math.max(within(delayMs, maxDelayMs), within(retryAfterMs, maxDelayMs));
}

function within(ms: number, longestMs: number): number {
  return Math.min(Math.max(ms, 0), longestMs);
}
