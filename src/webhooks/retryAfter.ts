import { parseHttpDate } from "../http/dates.js";

/** Nobody is waited for longer than a day. */
export const longestRetryAfterMs = 86_400_000;

const seconds = /^\d+$/;

/**
 * How long a `Retry-After` header asks to wait, in milliseconds, at most 24 hours; `undefined` for none, a date that has passed, or garbage.
 *
 * @param now milliseconds since the epoch
 * @see RFC 9110 §10.2.3
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (seconds.test(value)) return Math.min(Number(value) * 1_000, longestRetryAfterMs);
  const date = parseHttpDate(value);
  return date === undefined || date < now ? undefined : Math.min(date - now, longestRetryAfterMs);
}
