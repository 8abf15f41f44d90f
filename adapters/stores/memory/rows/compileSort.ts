import type { Row } from "../../../../src/ground/storage/collection.js";
import type { CompareAt } from "../../../../src/ground/storage/matches/comparisons.js";
import type { ReadAt } from "../../../../src/ground/storage/matches/path.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";

/** Orders two rows: negative, zero or positive. */
export type RowOrder = (left: Row, right: Row) => number;

/** How the values of rows are read and ordered. */
export interface ValuesAt {
  readonly compareAt: CompareAt;
  readonly readAt: ReadAt;
}

/** Compiles a sort into a comparator, once per query. */
export function compileSort(sort: readonly SortKey[], { compareAt, readAt }: ValuesAt): RowOrder {
  const keys = sort.map(({ path, dir }) => ({ read: readAt(path), compare: compareAt(path), sign: dir === "asc" ? 1 : -1 }));
  const [first, ...others] = keys;
  if (first === undefined) return () => 0;
  if (others.length === 0) return (left, right) => first.sign * first.compare(first.read(left), first.read(right));
  return (left, right) => {
    for (const { read, compare, sign } of keys) {
      const order = compare(read(left), read(right));
      if (order !== 0) return sign * order;
    }
    return 0;
  };
}
