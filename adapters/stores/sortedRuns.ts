/** Items that are sorted at once. */
const runLength = 1_024;
/** Up to so many items the result is kept in order while items come in. */
const smallLimit = 20_000;
/** Items that are merged before others have their turn. */
const mergeLength = 2_048;

type Compare<T> = (left: T, right: T) => number;

/** The first items of many in order, without sorting them all at once. */
export class SortedRuns<T> {
  readonly #compare: Compare<T>;
  readonly #limit: number;
  #run: T[] = [];
  #runs: T[][] = [];
  /** The first ones so far. */
  #first: T[] = [];

  /** @param limit how many items are wanted */
  constructor(compare: Compare<T>, limit: number) {
    this.#compare = compare;
    this.#limit = limit;
  }

  add(item: T): void {
    const last = this.#first.length === this.#limit ? this.#first.at(-1) : undefined;
    if (last !== undefined && this.#compare(item, last) >= 0) return;
    this.#run.push(item);
    if (this.#run.length >= runLength) this.#endRun();
  }

  /** The wanted items in order. @param pause lets others have their turn */
  async finish(pause: () => Promise<void>): Promise<T[]> {
    this.#endRun();
    if (this.#limit <= smallLimit) return this.#first;
    while (this.#runs.length > 1) {
      const merged: T[][] = [];
      for (let index = 0; index < this.#runs.length; index += 2) {
        merged.push(await this.#mergeSlowly(this.#runs[index] ?? [], this.#runs[index + 1] ?? [], pause));
      }
      this.#runs = merged;
    }
    return (this.#runs[0] ?? []).slice(0, this.#limit);
  }

  #endRun(): void {
    const run = this.#run.sort(this.#compare);
    this.#run = [];
    if (this.#limit > smallLimit) this.#runs.push(run);
    else this.#first = [...merge(this.#first, run, this.#compare, this.#limit)];
  }

  async #mergeSlowly(left: readonly T[], right: readonly T[], pause: () => Promise<void>): Promise<T[]> {
    const merged: T[] = [];
    for (const item of merge(left, right, this.#compare, Number.POSITIVE_INFINITY)) {
      merged.push(item);
      if (merged.length % mergeLength === 0) await pause();
    }
    return merged;
  }
}

function* merge<T>(left: readonly T[], right: readonly T[], compare: Compare<T>, limit: number): Generator<T, void, void> {
  let [fromLeft, fromRight] = [0, 0];
  for (let count = 0; count < limit && fromLeft + fromRight < left.length + right.length; count++) {
    const takesRight = fromLeft >= left.length || (fromRight < right.length && compare(right[fromRight] as T, left[fromLeft] as T) < 0);
    yield (takesRight ? right[fromRight++] : left[fromLeft++]) as T;
  }
}
