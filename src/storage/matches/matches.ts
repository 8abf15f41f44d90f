import { callable, listOf, optionsCheck, strict, texts } from "../../options/index.js";
import type { Filter } from "../filter.js";
import { compileFilter, type Evaluation } from "./compileFilter.js";
import type { Values } from "./path.js";

const check = optionsCheck("matches", () =>
  strict<Evaluation>({ searchable: listOf(texts(), "a list of paths, each a list of names"), related: callable() }),
);

/**
 * Whether a row matches a filter, as the stores decide it: `null` and a missing value are the same, values of different types never equal, texts compare by
 * code point.
 *
 * @param evaluation what `search` and `related` need; a filter without them needs nothing
 * @throws {Error} for a `search` without `searchable`, or a `related` without `related`
 * @throws {ConfigurationError} for an unknown option
 * @example
 * matches(orders.where({ status: "open", total: { gte: 5 } }), { status: "open", total: 7 }); // true
 */
export function matches(filter: Filter, row: Values, evaluation?: Evaluation): boolean {
  if (evaluation !== undefined) check(evaluation);
  return compileFilter(filter, evaluation)(row);
}
