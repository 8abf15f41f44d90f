import type { Filter, RelatedFilter } from "./filter.js";

/** What `and`, `or` and `not` combine; empty for a condition. */
export function operandsOf<Tree extends { readonly op: string }>(tree: Tree): readonly Tree[] {
  if ("args" in tree) return tree.args as readonly Tree[];
  return "arg" in tree ? [tree.arg as Tree] : [];
}

/** The conditions on rows of other collections, without those within them. */
export function relatedFilters(filter: Filter): readonly RelatedFilter[] {
  return filter.op === "related" ? [filter] : operandsOf<Filter>(filter).flatMap(relatedFilters);
}

/** The top-level fields that the conditions name. A `search` names none. */
export function fieldsOf(filter: Filter): readonly string[] {
  return "path" in filter ? [filter.path[0]] : operandsOf<Filter>(filter).flatMap(fieldsOf);
}
