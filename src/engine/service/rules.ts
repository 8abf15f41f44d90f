import { ConfigurationError } from "../../ground/problem/index.js";
import type { Environment } from "../operation/environment.js";
import type { RowRules } from "../operation/rules/rowRules.js";
import { rowRules } from "../resource/define/rowRules.js";
import type { ServiceOptions } from "./options.js";

/**
 * The scopes and stamps of all collections; `undefined` if there are none.
 *
 * @throws {ConfigurationError} for a scope that the storage cannot evaluate
 */
export function rulesOf(
  { resources, storage }: Pick<ServiceOptions, "resources" | "storage">,
  limit: (rules: RowRules) => RowRules,
): Environment["rules"] {
  const rules = new Map<string, RowRules>();
  for (const resource of resources) {
    const own = rowRules(resource);
    if (own !== undefined) rules.set(resource.name, limit(own));
  }
  if (rules.size === 0) return undefined;
  for (const { model, scope, parents } of rules.values()) {
    if (scope === undefined || parents.size === 0 || storage.collection(model).can.ops.includes("related")) continue;
    throw new ConfigurationError(
      `${model.name}: its "scope" may answer within(…), for which the storage "${storage.name}" lacks the filter operation "related". Use another storage, or leave the relations out.`,
    );
  }
  return withParents(rules, resources);
}

/** Rules without a scope for the collections that `within` may lead to. */
function withParents(rules: Map<string, RowRules>, resources: ServiceOptions["resources"]): ReadonlyMap<string, RowRules> {
  const named = new Set([...rules.values()].flatMap(({ parents }) => [...parents.values()].map(({ collection }) => collection)));
  for (const { name, model, queryTable, cache } of resources) {
    if (!named.has(name) || rules.has(name)) continue;
    rules.set(name, { model, isShared: cache?.shared === true, scope: undefined, stamps: [], table: queryTable, parents: new Map() });
  }
  return rules;
}
