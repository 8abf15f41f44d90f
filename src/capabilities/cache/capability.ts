import type { Capability } from "../../engine/capability/capability.js";
import type { Context } from "../../engine/operation/context.js";
import { type Operation, takesKey } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";
import type { CacheDirectives } from "../../ground/http/headers/cacheDirectives.js";
import type { HttpResponse } from "../../ground/http/message.js";
import { anonymous } from "../../parts/auth/verifier.js";
import { writeDirectives } from "./cacheControl.js";
import { type CacheRules, cacheRules } from "./rules.js";
import { privately, strictest } from "./strictest.js";
import { tenantless } from "./tenantless.js";

/**
 * Sends the `cache` rule of each collection as `Cache-Control` with its rows and lists (200 and 304). All other answers, errors and replays included, keep their
 * defaults: `no-cache` or `no-store`.
 *
 * @throws {ConfigurationError} from `createService`, for a rule that contradicts itself, or that would let a shared cache give one caller the answer of another
 * @see RFC 9111
 * @example
 * const products = defineResource("products", { schema, cache: { public: true, maxAge: 60, sMaxAge: 300, shared: true } });
 * createService({ resources: [products], storage, use: [cache()] });
 */
export function cache(): Capability {
  return {
    name: "cache",
    resourceOptions: ["cache"],
    wrap({ storage, resources }) {
      const shared = resources.filter((resource) => resource.cache?.shared === true).map(({ name }) => name);
      return shared.length === 0 ? {} : { storage: tenantless(storage, new Set(shared)) };
    },
    open({ resources, environment }) {
      const isAuthenticated = environment.verifiers.length > 0;
      const rules = cacheRules(resources, isAuthenticated);
      const isScoped = (collection: string) => environment.rules?.get(collection)?.scope !== undefined;
      return { adaptRoute: (route) => ruled(route, { rules, isScoped, isAuthenticated }) };
    },
  };
}

/** The route with the rules of its collection. */
function ruled(route: Route, service: ServiceCaching): Route {
  const operations = route.operations.map((operation): Operation => {
    const { access, answers } = operation;
    const collection = access?.collection;
    const rule = collection === undefined ? undefined : service.rules.get(collection);
    // Exports ask for the same permissions, but answer neither a row nor a list.
    const isRead = !takesKey(operation) && (answers === "row" || answers === "list");
    if (collection === undefined || rule === undefined || !isRead) return operation;
    const isNested = route.segments.length > 2;
    // Under a scope each principal has its own rows.
    const isShared = rule.shared === true && !isNested && !service.isScoped(collection) ? true : undefined;
    // The answer to a body is never stored.
    if (operation.method !== "GET") return isShared ? { ...operation, isShared } : operation;
    return cached(operation, { ...service, own: collection, isNested, isShared });
  });
  return { ...route, operations };
}

/** What the caching of all operations depends on. */
interface ServiceCaching {
  readonly rules: CacheRules;
  /** Whether the rows of a collection have a scope. */
  isScoped(collection: string): boolean;
  readonly isAuthenticated: boolean;
}

/** How the answers of an operation are cached. */
interface Caching extends ServiceCaching {
  /** Name of the collection whose rows it answers with. */
  readonly own: string;
  /** Whether its path is below a row of another collection. */
  readonly isNested: boolean;
  /** Whether its answers are the same for all callers. */
  readonly isShared: true | undefined;
}

function cached(operation: Operation, caching: Caching): Operation {
  const { isNested, isShared } = caching;
  const alone = { anonymous: textOf(caching, [caching.own], true), known: textOf(caching, [caching.own], false) };
  return {
    ...operation,
    isShared,
    async run(context) {
      const isAnonymous = context.principal === anonymous;
      const own = alone[isAnonymous ? "anonymous" : "known"];
      if (!isNested && context.request.query === "") return withRule(await operation.run(context), own, isShared);
      const used = new Set([caching.own]);
      const response = await operation.run(watching(context, used));
      return withRule(response, used.size === 1 ? own : textOf(caching, [...used], isAnonymous), isShared);
    },
  };
}

/** The same context, which notes the collections that are read: related rows, parents of the path, and rows that only decide whether others match. */
function watching(context: Context, used: Set<string>): Context {
  const { environment } = context;
  const noting = (rows: typeof environment.collection) => (name: string) => {
    used.add(name);
    return rows(name);
  };
  // Rows with a scope are read below the rows of a version.
  const watched = { ...environment, collection: noting(environment.collection), schemaRows: noting(environment.schemaRows) };
  return { ...context, environment: watched };
}

function withRule(response: HttpResponse, text: string, isShared: true | undefined): HttpResponse {
  const { status, headers } = response;
  if (status !== 200 && status !== 304) return response;
  headers["cache-control"] ??= text;
  return isShared ? { ...response, isShared } : response;
}

/** The rule of an answer that these collections took part in. Only what is the same for all who get it may be stored by shared caches. */
function textOf({ rules, isShared, isScoped, isAuthenticated }: Caching, used: readonly string[], isAnonymous: boolean): string {
  const each = used.map((name): CacheDirectives => rules.get(name) ?? byDefault);
  const rule = strictest(each);
  const isForAll = isShared || (isAnonymous && used.every((name) => isScoped(name) || rules.get(name)?.shared === true));
  return writeDirectives(isAuthenticated && !isForAll ? privately(rule) : rule);
}

const byDefault: CacheDirectives = { noCache: true };
