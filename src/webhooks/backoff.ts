import type { Random } from "../operation/random.js";
import { longestRetryAfterMs } from "./retryAfter.js";

const [minute, hour] = [60_000, 3_600_000];

/** How long an attempt waits, from the first one on, in milliseconds: at once, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h. */
export const defaultScheduleMs: readonly number[] = [0, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour];

const longestDelayMs = 24 * hour;
const jitter = 0.2;

/** An attempt that has failed, and may be repeated. */
export interface EndedAttempt {
  /** Its number, from 1; 0 for an event that has just been emitted. */
  readonly attempt: number;
  /** When it ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  readonly scheduleMs?: readonly number[] | undefined;
  readonly random: Random;
  /** How long the receiver asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * When the next attempt is due, in milliseconds since the epoch; `undefined` where the last one of the schedule has been made.
 *
 * A fifth more or less by chance, so that what failed together does not come back together; never before `retryAfterMs`, and after 24 hours at most.
 */
export function nextAttempt({ attempt, endedAt, scheduleMs = defaultScheduleMs, random, retryAfterMs = 0 }: EndedAttempt): number | undefined {
  const baseMs = scheduleMs[attempt];
  if (baseMs === undefined) return undefined;
  const delayMs = Math.round(baseMs * (1 - jitter + 2 * jitter * random()));
  return endedAt + Math.max(within(delayMs, longestDelayMs), within(retryAfterMs, longestRetryAfterMs));
}

function within(ms: number, longestMs: number): number {
  return Math.min(Math.max(ms, 0), longestMs);
}
