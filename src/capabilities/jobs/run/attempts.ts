/** Number of consecutive attempts without progress after which a job fails. */
export const maxAttempts = 5;

const pausesMs = [5_000, 30_000, 120_000, 600_000] as const;

/**
 * Returns the pause after a failed attempt, in milliseconds; `undefined` after the last one.
 *
 * @param before attempts without progress before this one
 */
export function pauseAfter(before: number): number | undefined {
  return pausesMs[before];
}
