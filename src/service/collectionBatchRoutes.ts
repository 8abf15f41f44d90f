import { batchCreateOperation, batchRemoveOperation, batchUpdateOperation } from "../batch/collectionBatches.js";
import { bulkUpdateOperation, removeManyOperation } from "../batch/filteredBatches.js";
import type { Environment } from "../operation/environment.js";
import type { Operation } from "../operation/operation.js";
import type { LinkedResource } from "../resource/link.js";
import type { OperationName } from "../resource/options.js";
import type { Route } from "./router.js";

/** Batches at the path of the collection itself. */
export function collectionBatches(linked: LinkedResource, { limits }: Environment): readonly Operation[] {
  return may(linked, "remove", () => removeManyOperation(linked, limits));
}

/** Paths of batches below a collection: `/users/batch`. A fixed word wins over an id. */
export function collectionBatchRoutes(linked: LinkedResource, { limits }: Environment): readonly Route[] {
  const { resource, name } = linked;
  const items = [
    ...may(linked, "create", () => batchCreateOperation(resource, limits)),
    ...may(linked, "update", () => batchUpdateOperation(resource, limits)),
  ];
  const routes: readonly Route[] = [
    { segments: [name, "batch"], operations: items },
    { segments: [name, "batch-delete"], operations: may(linked, "remove", () => batchRemoveOperation(resource, limits)) },
    { segments: [name, "bulk-update"], operations: may(linked, "update", () => bulkUpdateOperation(linked, limits)) },
  ];
  return routes.filter(({ operations }) => operations.length > 0);
}

function may({ resource }: LinkedResource, name: OperationName, make: () => Operation): readonly Operation[] {
  return resource.batch?.none || !resource.operations.has(name) ? [] : [make()];
}
