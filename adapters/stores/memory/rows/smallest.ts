/** Above this count, sorting a copy is faster than inserting into an ordered result. */
const insertionLimit = 512;
/** If the result is a larger part of the items than this, all are sorted. */
const sortedPart = 1 / 4;

/** The first `count` items in order; equal items keep their order. */
export function smallest<T>(items: readonly T[], compare: (left: T, right: T) => number, count: number): T[] {
  if (count > insertionLimit || count > items.length * sortedPart) return [...items].sort(compare).slice(0, count);
  const kept: T[] = [];
  if (count <= 0) return kept;
  for (const item of items) {
    const last = kept[count - 1];
    if (last !== undefined && compare(item, last) >= 0) continue;
    if (last !== undefined) kept.pop();
    kept.splice(positionOf(kept, item, compare), 0, item);
  }
  return kept;
}

/** The position after all items that are not greater than `item`. */
function positionOf<T>(kept: readonly T[], item: T, compare: (left: T, right: T) => number): number {
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
