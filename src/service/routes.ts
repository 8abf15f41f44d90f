import type { Limits } from "../limits/limits.js";
import { createOperation } from "../resource/create.js";
import { listOperation } from "../resource/list.js";
import { readOperation } from "../resource/read.js";
import { removeOperation } from "../resource/remove.js";
import { replaceOperation } from "../resource/replace.js";
import type { Resource } from "../resource/resource.js";
import { patchTypes, updateOperation } from "../resource/update.js";
import type { Route } from "./router.js";

/** The operation table of a collection. */
export function resourceRoutes(resource: Resource, limits: Limits): Route[] {
  return [
    { segments: [resource.name], operations: [listOperation(resource), createOperation(resource, limits)] },
    {
      segments: [resource.name, null],
      operations: [readOperation(resource), replaceOperation(resource, limits), updateOperation(resource, limits), removeOperation(resource)],
      optionsHeaders: { "accept-patch": patchTypes(resource).join(", ") },
    },
  ];
}
