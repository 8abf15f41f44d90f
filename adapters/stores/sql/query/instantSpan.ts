import { ExactDate, microsOf } from "../../../../src/ground/storage/values/exactDate.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Table } from "../schema/table.js";

/** The instants of a column that a date stands for. Where the column has no such instant, both are its first one after the date. */
export interface InstantSpan {
  readonly first: ExactDate;
  /** The first instant after them. */
  readonly next: ExactDate;
}

/**
 * The instants that a date stands for, so that only `>=` and `<` need to compare the column with them; `undefined` if the column is compared with the date itself.
 *
 * - A date without microseconds means its whole millisecond, which is all that a client sees of a column with finer instants.
 * - A date with more digits than the column has is between two of its instants.
 * - A date that a column with microseconds cannot hold is one: nothing is between two of its instants that `>` and `>=` could both be compared with.
 */
export function instantSpan(path: Path, value: Scalar, table: Table): InstantSpan | undefined {
  if (!(value instanceof Date)) return undefined;
  const { column, keys } = table.at(path);
  if (column.kind !== "datetime" || keys.length > 0) return undefined;
  const ms = value.getTime();
  const micros = microsOf(value);
  if (column.isFine !== true) return micros === undefined || micros === 0 ? undefined : spanOf(after(ms, 1_000), after(ms, 1_000));
  if (micros === undefined) return spanOf(new ExactDate(ms, 0), after(ms, 1_000));
  if (!Number.isInteger(micros)) return spanOf(after(ms, Math.ceil(micros)), after(ms, Math.ceil(micros)));
  return column.accepts(value) ? undefined : spanOf(new ExactDate(ms, micros), after(ms, micros + 1));
}

/** The last instant of a Date has none after it. */
function spanOf(first: ExactDate, next: ExactDate): InstantSpan | undefined {
  return Number.isNaN(next.getTime()) ? undefined : { first, next };
}

function after(ms: number, micros: number): ExactDate {
  return micros < 1_000 ? new ExactDate(ms, micros) : new ExactDate(ms + 1, micros - 1_000);
}
