/** So many tries in a row without any progress end a job. */
export const maximumAttempts = 5;

const pausesMs = [5_000, 30_000, 120_000, 600_000] as const;

/**
 * How long a job rests after a try that failed, in milliseconds; `undefined` after the last one.
 *
 * @param before tries without progress before this one
 */
export function pauseAfter(before: number): number | undefined {
  return pausesMs[before];
}
