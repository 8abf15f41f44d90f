const windowMs = 300_000;
const windowsAhead = 3;

/**
 * The five-minute window of an instant. URLs that are signed within a window are equal, so that responses that contain them are equal too.
 *
 * @param nowMs milliseconds since the epoch
 */
export function windowOf(nowMs: number): number {
  return Math.floor(nowMs / windowMs);
}

/**
 * The expiry of a URL that is signed at an instant, in Unix seconds: ten to fifteen minutes later.
 *
 * @param nowMs milliseconds since the epoch
 */
export function windowEnd(nowMs: number): number {
  return ((windowOf(nowMs) + windowsAhead) * windowMs) / 1_000;
}
