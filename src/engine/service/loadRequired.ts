import type { Environment } from "../operation/environment.js";
import { loadEnforcement } from "../operation/references/onDemand.js";
import { loadScoping } from "../operation/rules/onDemand.js";
import { loadBelowParents, loadInclude, loadRelatedKeys } from "../resource/relations/onDemand.js";
import type { Resource } from "../resource/resource.js";

/**
 * Loads the code that only some definitions need: scopes, relations and the enforcement of foreign keys. What a client may or may not use, such as JSON Patch, is loaded by the
 * first request that needs it.
 */
export async function loadRequired({ rules, references }: Environment, resources: readonly Resource[]): Promise<void> {
  const hasRelations = resources.some(({ relations }) => relations.size > 0);
  const hasReferences = references.heldBy.size > 0 || references.unenforced.size > 0;
  await Promise.all([
    rules && loadScoping(),
    hasReferences && loadEnforcement(),
    ...(hasRelations ? [loadInclude(), loadRelatedKeys(), loadBelowParents()] : []),
  ]);
}
