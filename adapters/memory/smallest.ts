/** Above this a sorted copy costs less than keeping the result in order. */
const insertionLimit = 512;
/** So few items are sorted as they are: they often come in order already, or in the reverse, which costs next to nothing. */
const fewItems = 1_000;

/** The first `count` items in order; items that tie keep the order in which they came. */
export function smallest<T>(items: readonly T[], compare: (left: T, right: T) => number, count: number): T[] {
  if (count > insertionLimit || items.length <= fewItems) return [...items].sort(compare).slice(0, count);
  const kept: T[] = [];
  if (count <= 0) return kept;
  for (const item of items) {
    const last = kept[count - 1];
    if (last !== undefined && compare(item, last) >= 0) continue;
    if (last !== undefined) kept.pop();
    kept.splice(placeOf(kept, item, compare), 0, item);
  }
  return kept;
}

/** Position behind all items that are not above `item`. */
function placeOf<T>(kept: readonly T[], item: T, compare: (left: T, right: T) => number): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = kept[middle];
    if (other !== undefined && compare(item, other) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
