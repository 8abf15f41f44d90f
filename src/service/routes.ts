import type { Environment } from "../operation/environment.js";
import type { Operation } from "../operation/operation.js";
import { createOperation } from "../resource/create.js";
import type { LinkedResource } from "../resource/link.js";
import { listOperation } from "../resource/list.js";
import type { OperationName } from "../resource/options.js";
import { readOperation } from "../resource/read.js";
import { removeOperation } from "../resource/remove.js";
import { replaceOperation } from "../resource/replace.js";
import { queryOperation, searchesOperation } from "../resource/search.js";
import { patchTypes, updateOperation } from "../resource/update.js";
import { exportOperation } from "../transfer/exportOperation.js";
import { collectionBatches, collectionBatchRoutes } from "./collectionBatchRoutes.js";
import { hierarchyRoutes, type ResourceOperations } from "./hierarchyRoutes.js";
import type { Route } from "./router.js";

/** The operation table of all collections. */
export function resourceRoutes(linked: ReadonlyMap<string, LinkedResource>, environment: Environment, hasBatches: boolean): Route[] {
  for (const { table } of linked.values()) {
    for (const warning of table.warnings) environment.logger.warn({ collection: table.collection }, warning);
  }
  const operations = (child: LinkedResource) => resourceOperations(child, environment);
  return [
    { segments: ["searches"], operations: [searchesOperation(linked, environment.limits)] },
    ...[...linked.values()].flatMap((each) => [
      ...ownRoutes(each, operations(each), hasBatches ? collectionBatches(each, environment) : []),
      ...hierarchyRoutes(each, operations),
      ...(hasBatches ? collectionBatchRoutes(each, environment) : []),
      ...exportRoutes(each),
    ]),
  ];
}

function ownRoutes(
  { name }: LinkedResource,
  { collection, single, singleOptionsHeaders }: ResourceOperations,
  batches: readonly Operation[],
): Route[] {
  return [
    { segments: [name], operations: [...collection, ...batches], optionsHeaders: { "accept-query": "application/json" } },
    { segments: [name, null], operations: single, optionsHeaders: singleOptionsHeaders },
  ];
}

/** A fixed word wins over an id. */
function exportRoutes(linked: LinkedResource): Route[] {
  return linked.resource.canExport ? [{ segments: [linked.name, "export"], operations: [exportOperation(linked)] }] : [];
}

function resourceOperations(linked: LinkedResource, { limits }: Environment): ResourceOperations {
  const { resource } = linked;
  const may = (name: OperationName, ...operations: readonly Operation[]) => (resource.operations.has(name) ? operations : []);
  return {
    collection: [...may("list", listOperation(linked), queryOperation(linked, limits)), ...may("create", createOperation(resource, limits))],
    single: [
      ...may("read", readOperation(linked)),
      ...may("replace", replaceOperation(resource, limits)),
      ...may("update", updateOperation(resource, limits)),
      ...may("remove", removeOperation(resource)),
    ],
    singleOptionsHeaders: resource.operations.has("update") ? { "accept-patch": patchTypes(resource).join(", ") } : {},
  };
}
