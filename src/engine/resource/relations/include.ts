import { addTo } from "../../../ground/storage/addTo.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { Selection } from "../../../language/fields/selection.js";
import type { Context } from "../../operation/context.js";
import { includeMany } from "./includeMany.js";
import { includeOne } from "./includeOne.js";
import { type Inclusion, inclusionsOf } from "./inclusion.js";
import type { LinkedRelation, LinkedResource } from "./link.js";
import { relatedPermits } from "./relatedPermits.js";

/**
 * Adds related rows to the selected rows: level by level, with one store call per relation of a level.
 *
 * @param shown The selected rows, in the order of `rows`; related rows are added to them.
 * @throws {ProblemError} QUERY_TOO_COMPLEX if a to-many relation leads to more rows than `maxPerPage` × `includedRows`
 */
export async function includeRelations(
  linked: LinkedResource,
  context: Context,
  rows: readonly Row[],
  shown: readonly Record<string, unknown>[],
  relations: ReadonlyMap<string, Selection>,
): Promise<void> {
  if (relations.size === 0) return;
  const permits = relatedPermits(context);
  const parents = rows.flatMap((row, index) => {
    const form = shown[index];
    return form === undefined ? [] : { row, shown: form, only: undefined };
  });
  let level = inclusionsOf(linked, parents, relations);
  while (level.length > 0) {
    const loads = [...byRelation(level)].map(([relation, inclusions]) => {
      const load = relation.many ? includeMany : includeOne;
      return load(relation, inclusions, context, permits);
    });
    const attaches = await Promise.all(loads);
    // Added at the end, so that members are in the requested order, whichever load finished first.
    level = attaches.flatMap((attach) => attach());
  }
}

/** Several paths can lead to one relation: `author.company` and `editor.company`. */
function byRelation(inclusions: readonly Inclusion[]): ReadonlyMap<LinkedRelation, readonly Inclusion[]> {
  const groups = new Map<LinkedRelation, Inclusion[]>();
  for (const inclusion of inclusions) addTo(groups, inclusion.relation, inclusion);
  return groups;
}
