import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { PathFilter } from "../../../../src/ground/storage/matches/compileFilter.js";
import { scalarKey } from "../../../../src/ground/storage/matches/scalarKey.js";

/** A text that only equal filters have. */
export function filterKey(filter: Filter): string {
  switch (filter.op) {
    case "and":
    case "or":
      return `${filter.op}(${filter.args.map(filterKey).join()})`;
    case "not":
      return `not(${filterKey(filter.arg)})`;
    case "related":
      return `related${JSON.stringify([filter.path, filter.collection.name, filter.shared])}(${filterKey(filter.filter)})`;
    case "search":
      return `search${JSON.stringify(filter.text)}`;
    default:
      return `${filter.op}${JSON.stringify([filter.path, comparedWith(filter)])}`;
  }
}

/** JSON writes neither bigints nor infinities, and an instant like its text. */
function comparedWith(filter: PathFilter): unknown {
  if (filter.op === "has") return undefined;
  if (filter.op === "like") return [filter.parts, filter.fold];
  return filter.op === "in" ? filter.values.map(scalarKey) : scalarKey(filter.value);
}
