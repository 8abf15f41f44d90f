import type { Environment } from "../operation/environment.js";
import { isSafe, type Operation } from "../operation/operation.js";
import type { Route } from "../operation/route.js";
import type { OperationName } from "../resource/options.js";
import { listOperation } from "../resource/read/list.js";
import { readOperation } from "../resource/read/read.js";
import type { LinkedResource } from "../resource/relations/link.js";
import { createOperation } from "../resource/write/create.js";
import { removeOperation } from "../resource/write/remove.js";
import { replaceOperation } from "../resource/write/replace.js";
import { patchTypes, updateOperation } from "../resource/write/update.js";
import { hierarchyRoutes, type ResourceOperations } from "./hierarchyRoutes.js";

/** The routes of all collections. */
export function resourceRoutes(linked: ReadonlyMap<string, LinkedResource>, environment: Environment): Route[] {
  for (const { table } of linked.values()) {
    for (const warning of table.warnings) environment.logger.warn({ collection: table.collection }, warning);
  }
  const operations = (child: LinkedResource) => resourceOperations(child, environment);
  return [...linked.values()].flatMap((each) => [...ownRoutes(each, operations(each)), ...hierarchyRoutes(each, operations)]);
}

function ownRoutes({ name, resource }: LinkedResource, { collection, single, singleOptionsHeaders }: ResourceOperations): Route[] {
  const operations = (all: readonly Operation[]) => (resource.isOpenToRead ? all.map(openToRead) : all);
  return [
    { segments: [name], operations: operations(collection) },
    { segments: [name, null], operations: operations(single), optionsHeaders: singleOptionsHeaders },
  ];
}

/** Paths below a parent are not open: they would reveal whether the parent exists. */
function openToRead(operation: Operation): Operation {
  return { ...operation, allowsAnonymous: isSafe(operation) };
}

function resourceOperations(linked: LinkedResource, { limits }: Environment): ResourceOperations {
  const { resource } = linked;
  const may = (name: OperationName, ...operations: readonly Operation[]) => (resource.operations.has(name) ? operations : []);
  return {
    collection: [...may("list", listOperation(linked)), ...may("create", createOperation(resource, limits))],
    single: [
      ...may("read", readOperation(linked)),
      ...may("replace", replaceOperation(resource, limits)),
      ...may("update", updateOperation(resource, limits)),
      ...may("remove", removeOperation(resource)),
    ].map((operation) => ({ ...operation, hasCompositeId: resource.idNames.length > 1 })),
    singleOptionsHeaders: resource.operations.has("update") ? { "accept-patch": patchTypes(resource).join(", ") } : {},
  };
}
