import { ExactDate } from "../../../src/storage/exactDate.js";
import type { Path, Scalar } from "../../../src/storage/scalar.js";
import type { Table } from "../schema/table.js";

/** The instants that a date in milliseconds stands for. */
export interface WholeMillisecond {
  readonly first: ExactDate;
  /** The first instant after them. */
  readonly next: ExactDate;
}

/** The instants that a date stands for in a column that distinguishes them; `undefined` if it is exact, or the column does not. */
export function wholeMillisecond(path: Path, value: Scalar, table: Table): WholeMillisecond | undefined {
  if (!(value instanceof Date) || value instanceof ExactDate) return undefined;
  const { column, keys } = table.at(path);
  if (column.isFine !== true || keys.length > 0) return undefined;
  const next = new ExactDate(value.getTime() + 1, 0);
  // The last instant of a Date has none after it.
  return Number.isNaN(next.getTime()) ? undefined : { first: new ExactDate(value.getTime(), 0), next };
}
