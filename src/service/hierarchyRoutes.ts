import type { Operation } from "../operation/operation.js";
import type { Ancestors } from "../resource/ancestor.js";
import { checkHierarchy } from "../resource/checkHierarchy.js";
import { below, hierarchies, innermost } from "../resource/hierarchy.js";
import type { LinkedResource } from "../resource/link.js";
import type { Route } from "./router.js";

/** What can be asked of a collection and of one of its rows, wherever their paths begin. */
export interface ResourceOperations {
  readonly collection: readonly Operation[];
  readonly single: readonly Operation[];
  readonly singleOptionsHeaders: Readonly<Record<string, string>>;
}

/**
 * The paths below the rows of a resource: `/users/{userId}/orders` and `/users/{userId}/orders/{orderId}`, and further down.
 *
 * @throws {ConfigurationError} for a relation whose name cannot stand in a path
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

/** Where the server alone sets the key, a path cannot give it to a new row. */
function canRun(ancestors: Ancestors, { method }: Operation): boolean {
  const { key } = innermost(ancestors).relation;
  return method !== "POST" || (key.generator === undefined && !key.readOnly);
}

function segmentsOf(ancestors: Ancestors): readonly (string | null)[] {
  return [ancestors[0].parent.name, ...ancestors.flatMap(({ relation }) => [null, relation.name])];
}
