import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";
import { innermost } from "../../engine/resource/relations/ancestor.js";
import { below, hierarchies, segmentsOf } from "../../engine/resource/relations/hierarchy.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { queryOperation, searchesOperation } from "./search.js";

/**
 * Lists with their query in a body: `POST /searches`, which names the collection, and `QUERY` of each collection, also below the rows of a parent. For filters that need
 * `or` and `not`, that are secret, or that are too long for a URL.
 *
 * @see draft-ietf-httpbis-safe-method-w-body
 * @example
 * createService({ resources, storage, use: [searches()] });
 */
export function searches(): Capability {
  return { name: "searches", paths: { searches: "searches in a body are sent there" }, open };
}

function open({ environment }: Host): OpenCapability {
  const { limits } = environment;
  const query = (linked: LinkedResource) => queryOperation(linked, limits);
  const ownQuery = (linked: LinkedResource): Operation => ({ ...query(linked), allowsAnonymous: linked.resource.isOpenToRead });
  return {
    describes: async () => ({ describe: (await import("./describeSearches.js")).describeSearches }),
    routesFor: (resources) => [
      { segments: ["searches"], operations: [searchesOperation(resources, limits)] },
      ...[...resources.values()].flatMap((linked) => [
        ...routeOf([linked.name], linked, () => ownQuery(linked)),
        ...hierarchies(linked).flatMap((ancestors) => {
          const { target } = innermost(ancestors).relation;
          return routeOf(segmentsOf(ancestors), target, () => below(ancestors, query(target), "collection"));
        }),
      ]),
    ],
  };
}

/** The route of a collection that can be listed. */
function routeOf(segments: Route["segments"], { resource }: LinkedResource, operation: () => Operation): readonly Route[] {
  if (!resource.operations.has("list")) return [];
  return [{ segments, operations: [operation()], optionsHeaders: { "accept-query": "application/json" } }];
}
