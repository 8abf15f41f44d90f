import type { Weighted } from "./weighted.js";

/** The quality of each name that is listed; the highest one if it is listed several times, so that the order does not matter. */
export function qualitiesOf(listed: readonly Weighted[]): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const { range, quality } of listed) qualities.set(range, Math.max(quality, qualities.get(range) ?? 0));
  return qualities;
}

/** The first of those with the highest quality; `undefined` if none has more than 0. */
export function highest<T>(offered: readonly T[], qualityOf: (each: T) => number): T | undefined {
  let selected: T | undefined;
  let best = 0;
  for (const each of offered) {
    const quality = qualityOf(each);
    if (quality > best) [selected, best] = [each, quality];
  }
  return selected;
}
