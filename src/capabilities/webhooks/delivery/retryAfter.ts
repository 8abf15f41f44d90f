import { systemClock } from "../../../ground/clock/clock.js";
import { parseHttpDate } from "../../../ground/http/headers/dates.js";
import { requireNumber, requireText } from "../../../ground/problem/argument.js";

/** The longest delay is one day. */
const maxRetryAfterMs = 86_400_000;

const seconds = /^\d+$/;

/**
 * Parses a `Retry-After` header to a delay in milliseconds, at most 24 hours; `undefined` for a missing or invalid header, or a date in the past.
 *
 * @param now milliseconds since the epoch; defaults to the clock of the system
 * @throws {TypeError} for a value that is not text, or an invalid time
 * @see RFC 9110 §10.2.3
 */
export function parseRetryAfter(value: string | null | undefined, now: number = systemClock.now()): number | undefined {
  requireNumber("now", now);
  if (value === undefined || value === null) return undefined;
  requireText("value", value);
  if (seconds.test(value)) return Math.min(Number(value) * 1_000, maxRetryAfterMs);
  const date = parseHttpDate(value);
  return date === undefined || date < now ? undefined : Math.min(date - now, maxRetryAfterMs);
}
