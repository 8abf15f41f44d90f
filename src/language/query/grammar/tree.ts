import type { Filter } from "../../../ground/storage/filter.js";
import { operandsOf } from "../../../ground/storage/filterParts.js";

/** A condition on a related row: resolved by querying the related collection first. */
export interface RelationFilter {
  readonly op: "relation";
  readonly relation: string;
  readonly filter: Filter;
}

/** A filter that may contain conditions on related rows. */
export type FilterTree =
  | Exclude<Filter, { readonly op: "and" | "or" | "not" }>
  | RelationFilter
  | { readonly op: "and" | "or"; readonly args: readonly FilterTree[] }
  | { readonly op: "not"; readonly arg: FilterTree };

/** Combines filters with `and`; `undefined` if there are none. */
export function allOf<T extends FilterTree>(filters: readonly T[]): T | { readonly op: "and"; readonly args: readonly T[] } | undefined {
  return filters.length > 1 ? { op: "and", args: filters } : filters[0];
}

/** The tree in the form that stores take, with every related condition replaced by the result of `resolve`. */
export async function resolveRelated(tree: FilterTree, resolve: (related: RelationFilter) => Promise<Filter>): Promise<Filter> {
  switch (tree.op) {
    case "relation":
      return resolve(tree);
    case "and":
    case "or": {
      const args: Filter[] = [];
      for (const arg of tree.args) args.push(await resolveRelated(arg, resolve));
      return { op: tree.op, args };
    }
    case "not":
      return { op: "not", arg: await resolveRelated(tree.arg, resolve) };
    default:
      return tree;
  }
}

/** Whether the tree contains no related conditions, so that stores can take it. */
export function isPlain(tree: FilterTree): tree is Filter {
  return tree.op !== "relation" && operandsOf<FilterTree>(tree).every(isPlain);
}
