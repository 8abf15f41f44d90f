import type { Operation } from "../operation/operation.js";
import type { Route } from "../operation/route.js";
import { isMade } from "../resource/generators.js";
import { type Ancestors, innermost } from "../resource/relations/ancestor.js";
import { checkHierarchy } from "../resource/relations/checkHierarchy.js";
import { below, hierarchies, segmentsOf } from "../resource/relations/hierarchy.js";
import type { LinkedResource } from "../resource/relations/link.js";

/** The operations of a collection and of one of its rows, independent of their paths. */
export interface ResourceOperations {
  readonly collection: readonly Operation[];
  readonly single: readonly Operation[];
  readonly singleOptionsHeaders: Readonly<Record<string, string>>;
}

/**
 * The paths below the rows of a resource: `/users/{userId}/orders` and `/users/{userId}/orders/{orderId}`, and further down.
 *
 * @throws {ConfigurationError} for a relation whose name cannot be used in a path
 */
export function hierarchyRoutes(linked: LinkedResource, makeOperations: (child: LinkedResource) => ResourceOperations): Route[] {
  checkHierarchy(linked);
  return hierarchies(linked).flatMap((ancestors): Route[] => {
    const { target } = innermost(ancestors).relation;
    const { collection, single, singleOptionsHeaders } = makeOperations(target);
    const segments = segmentsOf(ancestors);
    return [
      { segments, operations: collection.filter((operation) => canRun(ancestors, operation)).map((each) => below(ancestors, each, "collection")) },
      { segments: [...segments, null], operations: single.map((each) => below(ancestors, each, "single")), optionsHeaders: singleOptionsHeaders },
    ];
  });
}

/** If only the server sets the key, a path cannot set it in a new row. */
function canRun(ancestors: Ancestors, { method }: Operation): boolean {
  const { key } = innermost(ancestors).relation;
  return method !== "POST" || !isMade(key);
}
