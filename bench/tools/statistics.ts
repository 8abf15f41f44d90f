/** The middle value; of an even number of values the mean of the two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error("There is no median of nothing.");
  return (low + high) / 2;
}

/**
 * The value that a share of all values does not exceed.
 *
 * @param share between 0 and 1: 0.99 for the 99th percentile
 * @throws {Error} without values
 */
export function percentile(values: readonly number[], share: number): number {
  const value = values.toSorted((left, right) => left - right)[Math.max(0, Math.ceil(values.length * share) - 1)];
  if (value === undefined) throw new Error("There is no percentile of nothing.");
  return value;
}

/** Median and range of a series. */
export interface Summary {
  readonly median: number;
  readonly minimum: number;
  readonly maximum: number;
}

export function summarize(values: readonly number[]): Summary {
  return { median: median(values), minimum: Math.min(...values), maximum: Math.max(...values) };
}
