import type { ResourceCache } from "../../engine/resource/options.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import type { CacheDirectives } from "../../ground/http/headers/cacheDirectives.js";
import { flag, optionsCheck, strict } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { FieldAccess } from "../../language/schema/access.js";
import { contradiction, directiveShape } from "./cacheControl.js";

/** The rules of the collections that have one, by their names. */
export type CacheRules = ReadonlyMap<string, ResourceCache>;

const checkRule = /* @__PURE__ */ optionsCheck("cache", () => strict<ResourceCache>({ ...directiveShape(), shared: flag() }));

/**
 * The rules of all collections.
 *
 * @param isAuthenticated whether requests have credentials
 * @throws {ConfigurationError} for a rule that contradicts itself, or that would let a shared cache give one caller the answer of another
 */
export function cacheRules(resources: ReadonlyMap<string, LinkedResource>, isAuthenticated: boolean): CacheRules {
  const rules = new Map<string, ResourceCache>();
  for (const linked of resources.values()) {
    const { cache } = linked.resource;
    if (cache === undefined) continue;
    checkRule(cache, `${linked.name}: cache`);
    const fault = faultOf(linked, cache, isAuthenticated);
    if (fault !== undefined) throw new ConfigurationError(`${linked.name}: cache: ${fault}`);
    rules.set(linked.name, cache);
  }
  const isForAll = (name: string) => rules.get(name)?.shared === true && resources.get(name)?.resource.options.scope === undefined;
  for (const linked of resources.values()) checkRelations(linked, rules, isForAll);
  return rules;
}

function faultOf({ resource }: LinkedResource, { shared, ...directives }: ResourceCache, isAuthenticated: boolean): string | undefined {
  const { operations, fields } = resource;
  const fault = contradiction(directives);
  if (fault !== undefined) return fault;
  const { noStore, noCache, maxAge } = directives;
  if (!noStore && !noCache && maxAge === undefined) {
    return `without "maxAge", "noCache" or "noStore" each cache guesses how long an answer is fresh; give one of them.`;
  }
  if (!operations.has("list") && !operations.has("read")) return `it has no effect: "operations" has neither "list" nor "read".`;
  // With a scope, what shared caches may store is sent to callers without credentials only.
  if (!shared) return isAuthenticated && resource.options.scope === undefined ? needsShared(directives) : undefined;
  if (directives.private || noStore) return `"shared" has no effect with "${noStore ? "noStore" : "private"}".`;
  const differing = [...fields.values()].find(({ access }) => isReadByRule(access));
  return differing && `"${differing.name}" is not the same for all principals, so the answers cannot be shared: its "access" has a function.`;
}

/** @see RFC 9111 §3.5 */
function needsShared(directives: CacheDirectives): string | undefined {
  const { private: isPrivate, mustRevalidate } = directives;
  const name = (["public", "sMaxAge"] as const).find((member) => directives[member]) ?? (mustRevalidate && !isPrivate ? "mustRevalidate" : undefined);
  if (name === undefined && directives.sMaxAge === undefined) return undefined;
  return `"${name ?? "sMaxAge"}" lets shared caches store the answers to requests with credentials; say "shared: true" if they are the same for all callers${
    name === "mustRevalidate" ? `, otherwise "private: true"` : ""
  }.`;
}

/** Rules of writes do not concern what is read. */
function isReadByRule({ read, filter, sort }: FieldAccess = {}): boolean {
  return [read, filter, sort].some((rule) => typeof rule === "function");
}

/**
 * The rows of a shared collection belong to no tenant and are read for nobody in particular, so that rows of tenants would be missing beside them. And a delete sees
 * only the rows of the tenant that sends it.
 */
function checkRelations({ name, resource }: LinkedResource, rules: CacheRules, isForAll: (collection: string) => boolean): void {
  const isShared = (collection: string) => rules.get(collection)?.shared === true;
  for (const [relation, { collection, ...settings }] of resource.relations) {
    const where = `${name}: the relation "${relation}"`;
    if (isForAll(name) && isShared(collection) && !isForAll(collection)) {
      throw new ConfigurationError(`${where} leads from a collection whose cache is shared to "${collection}", which has a scope; leave it out.`);
    }
    if (isShared(name) && !isShared(collection)) {
      throw new ConfigurationError(`${where} leads from a collection whose cache is shared to "${collection}", whose is not; leave it out.`);
    }
    if (!isShared(name) && isShared(collection) && settings.kind === "belongsTo" && settings.enforce !== false) {
      throw new ConfigurationError(
        `${where} leads to "${collection}", whose cache is shared: say "enforce: false", because a delete there cannot see the rows of other tenants.`,
      );
    }
  }
}
