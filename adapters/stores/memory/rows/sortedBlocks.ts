/** The most items of a block: inserting into it must cost less than finding the block. */
const maxItems = 512;

/** Whether an item is before a position: true for the items before it, false for all others. */
export type IsBefore<T> = (item: T) => boolean;

/** How items are read. */
interface Reading<T, R> {
  readonly isReversed: boolean;
  readonly skip: number;
  read(item: T): R;
}

/** Items in order, in blocks: adding, deleting and finding one takes logarithmic time and moves at most one block. */
export class SortedBlocks<T> {
  readonly #compare: (left: T, right: T) => number;
  readonly #blocks: T[][] = [];

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  add(item: T): void {
    const lastBlock = this.#blocks.at(-1);
    const last = lastBlock?.at(-1);
    // Most keys grow.
    if (lastBlock === undefined || last === undefined || this.#compare(last, item) < 0) {
      if (lastBlock === undefined || lastBlock.length >= maxItems) this.#blocks.push([item]);
      else lastBlock.push(item);
      return;
    }
    const [at, offset] = this.#positionOf((other) => this.#compare(other, item) < 0);
    const block = this.#blocks[at] ?? lastBlock;
    block.splice(offset, 0, item);
    if (block.length > maxItems) this.#blocks.splice(at + 1, 0, block.splice(maxItems / 2));
  }

  /** Deletes the item that compares equal, if there is one. */
  delete(item: T): void {
    const [at, offset] = this.#positionOf((other) => this.#compare(other, item) < 0);
    const block = this.#blocks[at];
    const found = block?.[offset];
    if (block === undefined || found === undefined || this.#compare(found, item) !== 0) return;
    block.splice(offset, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** The number of items between two positions. */
  count(isBeforeFirst: IsBefore<T>, isBeforeEnd: IsBefore<T>): number {
    const [first, firstOffset] = this.#positionOf(isBeforeFirst);
    const [end, endOffset] = this.#positionOf(isBeforeEnd);
    if (first > end) return 0;
    let count = endOffset - firstOffset;
    for (let at = first; at < end; at++) count += this.#blocks[at]?.length ?? 0;
    return Math.max(0, count);
  }

  /**
   * What `read` makes of the items between two positions, in order or in reverse order, without the first `skip` ones. Nothing may be added or deleted before the
   * iteration ends.
   */
  *between<R>(isBeforeFirst: IsBefore<T>, isBeforeEnd: IsBefore<T>, { isReversed, skip, read }: Reading<T, R>): Generator<R, void, void> {
    const [first, firstOffset] = this.#positionOf(isBeforeFirst);
    const [end, endOffset] = this.#positionOf(isBeforeEnd);
    let left = skip;
    for (let index = 0; index <= end - first; index++) {
      const at = isReversed ? end - index : first + index;
      const block = this.#blocks[at] ?? [];
      const from = at === first ? firstOffset : 0;
      const to = at === end ? endOffset : block.length;
      const skipped = Math.min(left, to - from);
      left -= skipped;
      for (let offset = skipped; offset < to - from; offset++) yield read(block[isReversed ? to - 1 - offset : from + offset] as T);
    }
  }

  /** The block and the offset in it of the first item that is not before the position. */
  #positionOf(isBefore: IsBefore<T>): readonly [number, number] {
    const at = bisect(this.#blocks.length, (index) => isBefore(this.#blocks[index]?.at(-1) as T));
    const block = this.#blocks[at] ?? [];
    return [at, bisect(block.length, (index) => isBefore(block[index] as T))];
  }
}

/** The first number below `length` for which `isBefore` is false, else `length`. */
function bisect(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
