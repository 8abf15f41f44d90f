import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Page, Source } from "./partition.js";

/** A way to find the rows that match a filter: rows that include them all. */
export interface Scan {
  /** @param skip how many of the first rows to leave out; 0 unless it can */
  rows(skip: number): Iterable<Row>;
  readonly count: number;
  /** Whether all rows match. */
  readonly isExact: boolean;
  /** Whether the rows come in the order of the sort, so that it may end with the page. */
  readonly isOrdered: boolean;
  /** Whether it can leave out matches without reading them. */
  readonly canSkip: boolean;
  /** What reading one row costs; reading one of all rows costs 1. */
  readonly rowCost: number;
}

/** The way that most likely finds a page with the least work. */
export function cheapest(scans: readonly [Scan, ...Scan[]], { offset, limit }: Page): Source {
  // No filter tells how many rows match; at most as many as the narrowest scan reads.
  const matches = Math.max(1, Math.min(...scans.map(({ count }) => count)));
  const sortCost = matches * Math.log2(1 + Math.min(offset + limit, matches));
  const costOf = ({ count, isExact, isOrdered, canSkip, rowCost }: Scan) => {
    if (!isOrdered) return rowCost * count + sortCost;
    const wanted = canSkip ? limit : offset + limit;
    return rowCost * Math.min(count, isExact ? wanted : (wanted * count) / matches);
  };
  const [first, ...others] = scans;
  const best = others.reduce((left, right) => (costOf(right) < costOf(left) ? right : left), first);
  const skipped = best.canSkip ? offset : 0;
  return { rows: best.rows(skipped), isOrdered: best.isOrdered, skipped };
}
