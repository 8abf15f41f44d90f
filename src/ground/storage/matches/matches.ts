import { callable, listOf, optionsCheck, passing, strict, texts } from "../../options/index.js";
import type { Filter, RelatedFilter } from "../filter.js";
import type { MemberDefault } from "../model.js";
import type { RowValues } from "../values/rowValues.js";
import type { Id, Path } from "../values/scalar.js";
import { compileFilter } from "./compileFilter.js";
import { readersOf } from "./path.js";

/** What {@link matches} needs for some filters. */
export interface MatchOptions {
  /** The paths that `search` searches. */
  readonly searchable?: readonly Path[] | undefined;
  /** What stands for members that rows lack: those of the collection's model. */
  readonly memberDefaults?: readonly MemberDefault[] | undefined;
  /** Whether `key` is the id of a row of `filter.collection` that matches `filter.filter`. */
  readonly related?: ((filter: RelatedFilter, key: Id) => boolean) | undefined;
}

const check = /* @__PURE__ */ optionsCheck("matches", () =>
  strict<MatchOptions>({
    searchable: listOf(texts(), "a list of paths, each a list of names"),
    memberDefaults: passing("the `memberDefaults` of a model", Array.isArray),
    related: callable(),
  }),
);

/**
 * Whether a row matches a filter, as the stores decide it: `null` and a missing value are the same, values of different types are never equal, and texts compare
 * by code point.
 *
 * @throws {Error} for a `search` without `searchable`, or a `related` without `related`: neither may count as a match or as none
 * @throws {ConfigurationError} for an unknown option
 * @example
 * matches({ op: "gte", path: ["total"], value: 5 }, { status: "open", total: 7 }); // true
 */
export function matches(filter: Filter, row: RowValues, options?: MatchOptions): boolean {
  if (options !== undefined) check(options);
  const { searchable, related, memberDefaults } = options ?? {};
  return compileFilter(filter, {
    readAt: memberDefaults && readersOf({ memberDefaults }),
    searchable,
    related: related && ((each) => (key) => related(each, key)),
  })(row);
}
