import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Compare, CompareAt } from "../../../../src/ground/storage/matches/comparisons.js";
import { compileTest, type PathFilter } from "../../../../src/ground/storage/matches/compileFilter.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";

/** An end of a range of keys: the values of their first columns. Without values it is open. */
export interface Bound {
  readonly values: readonly Scalar[];
  /** Whether keys that begin with these values are in the range. */
  readonly inclusive: boolean;
}

/** A range of an index that contains all rows that match a filter. */
export interface Range {
  readonly lower: Bound;
  readonly upper: Bound;
  /** How many of the first columns have one value in the whole range. */
  readonly fixed: number;
  /** Whether all rows in the range match. */
  readonly isExact: boolean;
}

/** `true` and `false` are filters that all rows and no rows match. */
type Condition = Filter | boolean;

/** Finds the narrowest range of an index with these columns that contains all matches. A cursor, an `or` of comparisons, is a range too. */
export function rangeOf(filter: Filter | undefined, columns: readonly Path[], compareAt: CompareAt): Range {
  let rest: Condition = filter ?? true;
  const values: Scalar[] = [];
  for (const column of columns) {
    const compare = compareAt(column);
    const { lower, upper } = intervalOf(rest, column, compare);
    if (lower?.inclusive !== true || upper?.inclusive !== true || compare(lower.value, upper.value) !== 0) break;
    values.push(lower.value);
    rest = given(rest, column, lower.value);
  }
  const others = columns.slice(values.length);
  return {
    lower: boundOf(rest, others, compareAt, "lower", values),
    upper: boundOf(rest, others, compareAt, "upper", values),
    fixed: values.length,
    isExact: rest === true,
  };
}

/** The direction in which an index yields rows in the order of the sort; `undefined` if its order is another one. */
export function directionOf(sort: readonly SortKey[], columns: readonly Path[], fixed: number): SortKey["dir"] | undefined {
  const isFixed = ({ path }: SortKey) => columns.slice(0, fixed).some((column) => isSamePath(column, path));
  const keys = sort.filter((key) => !isFixed(key));
  const direction = keys[0]?.dir ?? "asc";
  // The last column is the id, and no key after it decides anything.
  const others = columns.slice(fixed);
  const isOrder = keys.slice(0, others.length).every(({ path, dir }, at) => dir === direction && isSamePath(others[at] ?? [""], path));
  return isOrder ? direction : undefined;
}

/** Extends an end of the range column by column, as long as rows at the end so far are limited in the next column. */
function boundOf(filter: Condition, columns: readonly Path[], compareAt: CompareAt, end: "lower" | "upper", fixed: readonly Scalar[]): Bound {
  const values = [...fixed];
  let rest = filter;
  for (const column of columns) {
    const limit: Limit | undefined = intervalOf(rest, column, compareAt(column))[end];
    if (limit === undefined) break;
    values.push(limit.value);
    rest = limit.inclusive && given(rest, column, limit.value);
    if (rest === false) return { values, inclusive: false };
  }
  return { values, inclusive: rest !== false };
}

interface Limit {
  readonly value: Scalar;
  readonly inclusive: boolean;
}

/** What a filter says about the values of one column. */
interface Interval {
  readonly lower?: Limit | undefined;
  readonly upper?: Limit | undefined;
}

/** Null is the lowest value, and comparisons never match it. */
const aboveNull: Limit = { value: null, inclusive: false };

function intervalOf(filter: Condition, column: Path, compare: Compare): Interval {
  if (typeof filter === "boolean" || filter.op === "not" || filter.op === "search" || filter.op === "related") return {};
  if (!isOnPath(filter)) {
    const [first = {}, ...others] = filter.args.map((arg) => intervalOf(arg, column, compare));
    const combine = filter.op === "and" ? intersect : join;
    return others.reduce((whole, each) => combine(whole, each, compare), first);
  }
  if (!isSamePath(filter.path, column)) return {};
  switch (filter.op) {
    case "eq":
      return point(filter.value);
    case "in":
      return filter.values.length === 0 ? {} : filter.values.map(point).reduce((whole, each) => join(whole, each, compare));
    case "gt":
    case "gte":
      return { lower: { value: filter.value, inclusive: filter.op === "gte" } };
    case "lt":
    case "lte":
      return { lower: aboveNull, upper: { value: filter.value, inclusive: filter.op === "lte" } };
    case "has":
      return { lower: aboveNull };
    default:
      return {};
  }
}

function isOnPath(filter: PathFilter | Extract<Filter, { readonly op: "and" | "or" }>): filter is PathFilter {
  return filter.op !== "and" && filter.op !== "or";
}

function point(value: Scalar): Interval {
  const limit: Limit = { value, inclusive: true };
  return { lower: limit, upper: limit };
}

function intersect(left: Interval, right: Interval, compare: Compare): Interval {
  return { lower: narrower(left.lower, right.lower, 1, compare), upper: narrower(left.upper, right.upper, -1, compare) };
}

/** @param sign 1 for lower ends, of which the higher is narrower; -1 for upper ends */
function narrower(left: Limit | undefined, right: Limit | undefined, sign: 1 | -1, compare: Compare): Limit | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const order = sign * compare(left.value, right.value);
  if (order === 0) return left.inclusive ? right : left;
  return order > 0 ? left : right;
}

function join(left: Interval, right: Interval, compare: Compare): Interval {
  return { lower: wider(left.lower, right.lower, 1, compare), upper: wider(left.upper, right.upper, -1, compare) };
}

function wider(left: Limit | undefined, right: Limit | undefined, sign: 1 | -1, compare: Compare): Limit | undefined {
  if (left === undefined || right === undefined) return undefined;
  return narrower(left, right, sign, compare) === left ? right : left;
}

/** What is left of a filter for rows that have `value` in a column. */
function given(filter: Condition, column: Path, value: Scalar): Condition {
  if (typeof filter === "boolean" || filter.op === "not" || filter.op === "search" || filter.op === "related") return filter;
  if (isOnPath(filter)) return isSamePath(filter.path, column) ? compileTest(filter)(value) : filter;
  const { op } = filter;
  const args: Filter[] = [];
  for (const arg of filter.args) {
    const left = given(arg, column, value);
    if (left === (op === "or")) return left;
    if (typeof left !== "boolean") args.push(left);
  }
  return args.length === 0 ? op === "and" : { op, args };
}

export function isSamePath(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((name, at) => name === right[at]);
}
