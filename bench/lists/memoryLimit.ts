/** What the rows of the memory store may take of the heap. */
const limitBytes = 1.5 * 2 ** 30;

/**
 * Why a number of rows is not measured in memory: what they would take, by what the present ones take. `undefined` where they fit.
 *
 * @param before Bytes of the heap without rows.
 */
export function tooManyRows(size: number, present: number, before: number): string | undefined {
  if (present === 0) return undefined;
  const expected = ((heapBytes() - before) / present) * size;
  if (expected <= limitBytes) return undefined;
  return `${size} rows would take about ${(expected / 2 ** 30).toFixed(1)} GiB of memory: not measured.`;
}

/** After a garbage collection, where there is a way to ask for one. */
export function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
