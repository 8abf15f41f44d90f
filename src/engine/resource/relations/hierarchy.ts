import type { Operation } from "../../operation/operation.js";
import { type Ancestors, innermost } from "./ancestor.js";
import type { LinkedRelation, LinkedResource } from "./link.js";
import { loadBelowParents } from "./onDemand.js";

const maxParents = 3;

/** All paths from a resource through its to-many relations. Circles end at the maximum depth. */
export function hierarchies(linked: LinkedResource, maxDepth = maxParents): readonly Ancestors[] {
  const found: Ancestors[] = [];
  let level = manyOf(linked).map((relation): Ancestors => [{ parent: linked, relation }]);
  for (let depth = 1; depth <= maxDepth; depth++) {
    found.push(...level);
    level = level.flatMap((ancestors) => {
      const parent = innermost(ancestors).relation.target;
      return manyOf(parent).map((relation): Ancestors => [...ancestors, { parent, relation }]);
    });
  }
  return found;
}

/** `/users/{userId}/orders`; `null` is a variable segment. */
export function segmentsOf(ancestors: Ancestors): readonly (string | null)[] {
  return [ancestors[0].parent.name, ...ancestors.flatMap(({ relation }) => [null, relation.name])];
}

/**
 * The operation below its parents: each must exist, be readable, and be a child of the one above. It sees only children of the innermost parent, and
 * rows that it writes become or stay children.
 */
export function below(ancestors: Ancestors, operation: Operation, kind: "collection" | "single"): Operation {
  return {
    ...operation,
    name: nameOf(ancestors, operation),
    enter: async (context) => (await loadBelowParents()).enterParents(ancestors, context),
    async run(context) {
      const { runOnCollection, runOnRow } = await loadBelowParents();
      return kind === "collection" ? runOnCollection(ancestors, operation, context) : runOnRow(ancestors, operation, context);
    },
  };
}

function manyOf({ relations }: LinkedResource): readonly LinkedRelation[] {
  return [...relations.values()].filter(({ many }) => many);
}

/** `orders.list` → `users.orders.list` */
function nameOf(ancestors: Ancestors, { name }: Operation): string {
  const verb = name.slice(name.lastIndexOf(".") + 1);
  return [ancestors[0].parent.name, ...ancestors.map(({ relation }) => relation.name), verb].join(".");
}
