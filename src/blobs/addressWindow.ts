const windowMs = 300_000;
const windowsAhead = 3;

/**
 * The five minutes that an instant lies in: addresses that are signed within them are the same, so that what shows them is.
 *
 * @param nowMs milliseconds since the epoch
 */
export function windowOf(nowMs: number): number {
  return Math.floor(nowMs / windowMs);
}

/**
 * When an address ends that is signed at an instant, in Unix seconds: ten to fifteen minutes later.
 *
 * @param nowMs milliseconds since the epoch
 */
export function windowEnd(nowMs: number): number {
  return ((windowOf(nowMs) + windowsAhead) * windowMs) / 1_000;
}
