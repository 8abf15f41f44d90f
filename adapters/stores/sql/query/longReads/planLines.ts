import type { Filter, RelatedFilter } from "../../../../../src/ground/storage/filter.js";
import type { Table } from "../../schema/table.js";
import { isAboutRelated, type Lookup } from "../related.js";
import { isColumnOf } from "../uniqueKeys.js";
import { termsOf } from "./planNames.js";

/** Whether a plan is one search of an index with at least so many terms, besides the tenant. */
export function isSearch(lines: readonly string[], terms: number, table: Table): boolean {
  const [search, ...others] = searchesIn(lines);
  return search !== undefined && others.length === 0 && ownTermsOf(search, table).length >= terms;
}

/** The lines of a plan that search an index of the table. */
export function searchesIn(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith("SEARCH ") && !line.includes("json_each") && !isAboutRelated(line));
}

/** The indexes of the conditions that every search of a plan has as a term of its index. Other terms only leave fewer rows. */
export function searchTerms(lines: readonly string[], conditions: readonly Filter[], lookup: Lookup, table: Table): readonly number[] {
  const searches = searchesIn(lines).map((line) => (table.plan.covers(line) ? termsOf(line) : []));
  const isAlone = (bound: Bound) =>
    conditions.every((other) => other === bound || !isBound(other, lookup) || other.path[0] !== bound.path[0] || signs[other.op] !== signs[bound.op]);
  return [...conditions.keys()].filter((index) => {
    const bound = conditions[index];
    if (bound === undefined || !isBound(bound, lookup) || bound.path.length > 1 || !isAlone(bound)) return false;
    return searches.length > 0 && searches.every((terms) => terms.some((term) => isTermOf(term, bound, table)));
  });
}

/** Whether a term such as `status=?` or `createdAt>?` is that of a condition. */
function isTermOf(term: string, { path, op }: Bound, table: Table): boolean {
  const [, name = "", sign] = /^(\w+)([=<>])\?$/.exec(term) ?? [];
  return isColumnOf(name, path, table) && sign === signs[op];
}

const signs: Readonly<Record<string, string>> = { eq: "=", in: "=", related: "=", gt: ">", gte: ">", lt: "<", lte: "<" };

/** The terms of an index search beside those of the tenant; none if it also reads rows of others. */
export function ownTermsOf(line: string, { plan }: Table): readonly string[] {
  return plan.covers(line) ? termsOf(line).filter((term) => !plan.scope.includes(term)) : [];
}

/** Whether a line of a plan finds rows by id, or by a unique key of texts: at most one row, or one for each value of a list. */
export function isByKey(line: string, { keyTerms }: Table): boolean {
  const terms = termsOf(line);
  return keyTerms.some((key) => key.every((term) => terms.includes(term)));
}

type Comparison = Extract<Filter, { readonly op: "eq" | "gt" | "gte" | "lt" | "lte" | "in" }>;

/** Whether the engine can search an index with the condition. */
export function isComparison(filter: Filter): filter is Comparison {
  if (filter.op === "in") return !filter.values.includes(null);
  return filter.op === "eq" || filter.op === "gt" || filter.op === "gte" || filter.op === "lt" || filter.op === "lte";
}

type Bound = Comparison | RelatedFilter;

/** Whether the engine can search an index with the condition, related rows included if it lists them. */
export function isBound(filter: Filter, lookup: Lookup): filter is Bound {
  return isComparison(filter) || (filter.op === "related" && lookup === "list");
}
