import type { Filter } from "../../../ground/storage/filter.js";
import { type FilterTree, isPlain, resolveRelated } from "../../../language/query/grammar/tree.js";
import type { Context } from "../../operation/context.js";
import type { LinkedResource } from "./link.js";
import { loadRelatedKeys } from "./onDemand.js";

/**
 * The filter in the form that stores take: a condition on a related row becomes "the foreign key is one of these", after a query of the related collection.
 *
 * @throws {ProblemError} FORBIDDEN, FORBIDDEN_FIELD; QUERY_TOO_COMPLEX if more rows match than one list may contain
 */
export function resolveRelations(linked: LinkedResource, context: Context, tree: FilterTree | undefined): Filter | undefined | Promise<Filter> {
  if (tree === undefined || isPlain(tree)) return tree;
  return resolveRelated(tree, async (related) => (await loadRelatedKeys()).keysMatching(linked, context, related));
}
