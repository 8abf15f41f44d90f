import type { Filter } from "../../src/storage/filter.js";
import type { Query, SortKey } from "../../src/storage/query.js";
import type { Path, Scalar } from "../../src/storage/scalar.js";
import { assume } from "./assume.js";
import { conjuncts, type Lexicographic, lexicographicFilter, readLexicographic, samePath } from "./lexicographic.js";
import type { Table } from "./table.js";

/** Rows that lie side by side in an index on the place that a query sorts by first. */
export interface Range {
  readonly filter: Filter | undefined;
  /** What is known of that place beside the filter: it is null, or it has some value. */
  readonly first?: "null" | "valued" | undefined;
  /** What all rows have at the places that the query sorts by first, as far as that is known. */
  readonly same?: readonly Scalar[] | undefined;
}

/** The engine keeps a page of ranges in memory until it is whole; longer lists are read as they come. */
const longestPage = 1_000;

/**
 * The ranges of an index that a page is made of, in the order of the page. Engines cannot search an index by an `or` and would read all rows
 * before the page.
 */
export function findRanges(query: Query, table: Table): readonly Range[] {
  const { filter, sort, limit, offset = 0, lock } = query;
  const whole: Range = { filter };
  const [key] = sort;
  if (filter === undefined || key === undefined || limit > longestPage || offset > 0 || lock !== undefined) return [whole];
  const byNull = asksForNull(filter, key.path) ? splitByNull(filter, key.path) : [whole];
  const ranges = byNull.flatMap((range) => splitTies(range, sort, table));
  return key.dir === "asc" ? ranges : ranges.toReversed();
}

/** Whether every row has to be null there, or may pass by being so. */
function asksForNull(filter: Filter, path: Path): boolean {
  return conjuncts(filter).some((arg) => namesNull(arg, path) || (arg.op === "or" && arg.args.some((way) => namesNull(way, path))));
}

function namesNull(filter: Filter, path: Path): boolean {
  return (filter.op === "has" || (filter.op === "eq" && filter.value === null)) && samePath(filter.path, path);
}

/** Lowest first. A range in which no row can match is none. */
function splitByNull(filter: Filter, path: Path): Range[] {
  const rangeOf = (first: "null" | "valued"): Range[] => {
    const left = assume(filter, path, first === "null");
    if (left === false) return [];
    return [{ filter: left === true ? undefined : left, first }];
  };
  return [...rangeOf("null"), ...rangeOf("valued")];
}

/** Rows that tie with a row value in its first member are a range of their own, those that tie in two as well, where no index is searched by it. */
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

/** SQLite does not where the id is the number of the row, and no engine does as it should where the place is an expression. */
function searchesRowValues({ columns, dialect, model }: Table, [name]: Path): boolean {
  return columns.get(name)?.kind !== "json" && (dialect.name !== "sqlite" || model.idFrom === "caller");
}

/** The most ties first. */
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
