import type { Filter, RelatedFilter } from "./filter.js";
import type { Query } from "./query.js";
import type { Path, Scalar } from "./values/scalar.js";

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

/** A filter for the rows whose member has one of these values. */
export function anyOf(path: Path, values: readonly Scalar[]): Filter {
  const [only = null] = values;
  return values.length === 1 ? { op: "eq", path, value: only } : { op: "in", path, values };
}

/** A query for the ids of rows that have one of these ids and match the filter, in their order: all writers lock rows in it, so that none waits in a circle. */
export function idsQuery(id: string, ids: readonly Scalar[], filter: Filter | undefined, lock: Query["lock"]): Query {
  const path = [id] as const;
  const named = anyOf(path, ids);
  return {
    filter: filter === undefined ? named : { op: "and", args: [named, filter] },
    sort: [{ path, dir: "asc" }],
    fields: [path],
    limit: ids.length,
    lock,
  };
}
