import type { Capability } from "../capability/capability.js";
import type { CacheDirectives } from "../http/cacheDirectives.js";
import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import type { Route } from "../operation/route.js";
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
      return { adaptRoute: (route) => ruled(route, rules, isAuthenticated) };
    },
  };
}

/** The route with the rules of its collection. */
function ruled(route: Route, rules: CacheRules, isAuthenticated: boolean): Route {
  const operations = route.operations.map((operation): Operation => {
    const { access, answers, safety } = operation;
    const collection = access?.collection;
    const rule = collection === undefined ? undefined : rules.get(collection);
    // Exports ask for the same permissions, but answer neither a row nor a list.
    const isRead = safety === "safe" && (answers === "row" || answers === "list");
    if (collection === undefined || rule === undefined || !isRead) return operation;
    const isNested = route.segments.length > 2;
    const isShared = rule.shared === true && !isNested ? true : undefined;
    // The answer to a body is never stored.
    if (operation.method !== "GET") return isShared ? { ...operation, isShared } : operation;
    return cached(operation, { rules, own: collection, isNested, isShared, isAuthenticated });
  });
  return { ...route, operations };
}

/** How the answers of an operation are cached. */
interface Caching {
  readonly rules: CacheRules;
  /** Name of the collection whose rows it answers with. */
  readonly own: string;
  /** Whether its path is below a row of another collection. */
  readonly isNested: boolean;
  /** Whether its answers are the same for all callers. */
  readonly isShared: true | undefined;
  readonly isAuthenticated: boolean;
}

function cached(operation: Operation, caching: Caching): Operation {
  const { own, isNested, isShared } = caching;
  const alone = textOf(caching, [own]);
  return {
    ...operation,
    isShared,
    async run(context) {
      if (!isNested && context.request.query === "") return withRule(await operation.run(context), alone, isShared);
      const used = new Set([own]);
      const response = await operation.run(watching(context, used));
      return withRule(response, used.size === 1 ? alone : textOf(caching, [...used]), isShared);
    },
  };
}

/** The same context, which notes the collections that are read: related rows, parents of the path, and rows that only decide whether others match. */
function watching(context: Context, used: Set<string>): Context {
  const { environment } = context;
  const collection: typeof environment.collection = (name) => {
    used.add(name);
    return environment.collection(name);
  };
  return { ...context, environment: { ...environment, collection } };
}

function withRule(response: HttpResponse, text: string, isShared: true | undefined): HttpResponse {
  const { status, headers } = response;
  if (status !== 200 && status !== 304) return response;
  headers["cache-control"] ??= text;
  return isShared ? { ...response, isShared } : response;
}

/** The rule of an answer that these collections took part in. */
function textOf({ rules, isShared, isAuthenticated }: Caching, used: readonly string[]): string {
  const each = used.map((name): CacheDirectives => rules.get(name) ?? byDefault);
  const rule = strictest(each);
  return writeDirectives(isAuthenticated && !isShared ? privately(rule) : rule);
}

const byDefault: CacheDirectives = { noCache: true };
