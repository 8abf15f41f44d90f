/** The middle value; of an even number of values the mean of the two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error("There is no median of nothing.");
  return (low + high) / 2;
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
