import type { Filter, RelatedFilter } from "./filter.js";

/** The conditions on rows of other collections, without those within them. */
export function relatedFilters(filter: Filter): readonly RelatedFilter[] {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.args.flatMap(relatedFilters);
    case "not":
      return relatedFilters(filter.arg);
    default:
      return filter.op === "related" ? [filter] : [];
  }
}

/** The top-level fields that the conditions name. A `search` names none. */
export function fieldsOf(filter: Filter): readonly string[] {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.args.flatMap(fieldsOf);
    case "not":
      return fieldsOf(filter.arg);
    case "search":
      return [];
    default:
      return [filter.path[0]];
  }
}
