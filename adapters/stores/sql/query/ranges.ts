import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Query, SortKey } from "../../../../src/ground/storage/query.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Table } from "../schema/table.js";
import { assumeNull } from "./assumeNull.js";
import { conjuncts, type Lexicographic, lexicographicFilter, readLexicographic, samePath } from "./lexicographic.js";
import { boundKeys } from "./uniqueKeys.js";

/** Rows that are adjacent in an index on the first sort key. */
export interface Range {
  readonly filter: Filter | undefined;
  /** What the range says about the first sort key in addition to the filter: it is null, or it has a value. */
  readonly first?: "null" | "valued" | undefined;
  /** The values of the first sort keys that all rows of the range share. */
  readonly same?: readonly Scalar[] | undefined;
}

/** The engine holds a page made of ranges in memory until it is complete; longer pages are read as one range. */
const maxPage = 1_000;

/**
 * The index ranges that make up a page, in the order of the page. Engines cannot search an index with an `or`; without ranges they would read all rows
 * before the page. One range if the rows of a unique key are all that it reads.
 */
export function findRanges(query: Query, table: Table): readonly Range[] {
  const { filter, sort, limit, offset = 0, lock } = query;
  const whole: Range = { filter };
  const [key] = sort;
  if (filter === undefined || key === undefined || limit > maxPage || offset > 0 || lock !== undefined) return [whole];
  if (boundKeys(conjuncts(filter), table) !== undefined) return [whole];
  const byNull = testsForNull(filter, key.path) ? splitByNull(filter, key.path) : [whole];
  const ranges = byNull.flatMap((range) => splitTies(range, sort, table));
  return key.dir === "asc" ? ranges : ranges.toReversed();
}

/** Whether the filter requires null at the path, or accepts it in an `or`. */
function testsForNull(filter: Filter, path: Path): boolean {
  return conjuncts(filter).some((arg) => namesNull(arg, path) || (arg.op === "or" && arg.args.some((way) => namesNull(way, path))));
}

function namesNull(filter: Filter, path: Path): boolean {
  return (filter.op === "has" || (filter.op === "eq" && filter.value === null)) && samePath(filter.path, path);
}

/** Lowest range first; ranges in which no row can match are left out. */
function splitByNull(filter: Filter, path: Path): Range[] {
  const rangeOf = (first: "null" | "valued"): Range[] => {
    const left = assumeNull(filter, path, first === "null");
    if (left === false) return [];
    return [{ filter: left === true ? undefined : left, first }];
  };
  return [...rangeOf("null"), ...rangeOf("valued")];
}

/** Splits a row value comparison that the engine cannot search an index with: one range for each number of leading values that are equal. */
function splitTies(range: Range, sort: readonly SortKey[], table: Table): Range[] {
  const path = sort[0]?.path;
  if (range.filter === undefined || path === undefined || searchesRowValues(table, path)) return [range];
  const args = conjuncts(range.filter);
  for (const [position, arg] of args.entries()) {
    const list = arg.op === "or" ? readLexicographic(arg) : undefined;
    if (list === undefined) continue;
    const ranges = tiesOf(list, sort).map(({ filter, same }): Range => {
      return { filter: { op: "and", args: [...filter, ...args.toSpliced(position, 1)] }, same, first: same.length === 0 ? range.first : undefined };
    });
    if (ranges.length > 1) return list.op === "gt" ? ranges : ranges.toReversed();
  }
  return [range];
}

/** Whether the engine searches an index with row values. None does so well for JSON expressions. */
function searchesRowValues(table: Table, path: Path): boolean {
  return table.at(path).column.kind !== "json" && table.dialect.planner.searchesRowValues(table.keyTerms[0]?.includes("rowid=?") === true);
}

/** The ranges of a row value comparison, those with the most equal values first. */
function tiesOf(
  { op, members }: Lexicographic,
  sort: readonly SortKey[],
): { readonly filter: readonly Filter[]; readonly same: readonly Scalar[] }[] {
  const differs = members.findIndex(({ path }, index) => {
    const key = sort[index];
    return key === undefined || key.dir !== sort[0]?.dir || !samePath(key.path, path);
  });
  const deepest = differs === -1 ? members.length - 1 : Math.min(differs, members.length - 1);
  return Array.from({ length: deepest + 1 }, (_, index) => {
    const depth = deepest - index;
    const tied = members.slice(0, depth);
    const rest = depth === deepest ? members.slice(depth) : members.slice(depth, depth + 1);
    return {
      filter: [...tied.map((member): Filter => ({ op: "eq", ...member })), lexicographicFilter({ op, members: rest })],
      same: tied.map(({ value }) => value),
    };
  });
}
