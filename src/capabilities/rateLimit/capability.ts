import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Operation } from "../../engine/operation/operation.js";
import { having, listOf, named, optionsCheck, strict, whole } from "../../ground/options/index.js";
import type { RateLimitStore } from "../../ground/storage/rateLimits.js";
import { type Limiter, type OperationPolicies, PolicyCount } from "./count.js";
import { GuardedStore } from "./guardedStore.js";
import { memoryRateLimits } from "./memory.js";
import { checkPolicies, concerns, policySchema, type RateLimitPolicy, requireOperations } from "./policy.js";

/** How often callers may send requests. */
export interface RateLimitOptions {
  /** Every policy that concerns an operation is counted, and each of them can refuse a request. */
  readonly policies: readonly RateLimitPolicy[];
  /** Defaults to the memory of the process: with several processes, each has limits of its own. */
  readonly store?: RateLimitStore | undefined;
  /** What a request of an operation costs, if not 1, e.g. `{ "users.export": 10 }`; 0 is free. */
  readonly costs?: Readonly<Record<string, number>> | undefined;
  /** How long a request waits for the store, in milliseconds (250). Then this process counts it. */
  readonly timeoutMs?: number | undefined;
}

const checkRateLimitOptions = /* @__PURE__ */ optionsCheck("rateLimit", () =>
  strict<RateLimitOptions>(
    {
      policies: listOf(policySchema(), "an array with a policy", 1),
      store: having("a store of rate limits, such as memoryRateLimits()", "take"),
      costs: named(whole(0, 1_000_000), "an object with a cost for each operation"),
      timeoutMs: whole(1, 60_000),
    },
    ["policies"],
  ),
);

/**
 * Limits how often callers may send requests: 429 with `Retry-After`, and what is left in the headers of every answer that was counted. If the store fails, each process
 * counts by itself, and the log says so.
 *
 * @throws {ConfigurationError} for an unknown option, an invalid value, and an operation that the service does not have
 * @see draft-ietf-httpapi-ratelimit-headers-10
 * @example
 * createService({ resources, storage, use: [rateLimit({ policies: [{ name: "minute", limit: 600, windowMs: 60_000 }] })] });
 */
export function rateLimit(options: RateLimitOptions): Capability {
  checkRateLimitOptions(options);
  checkPolicies(options.policies);
  return { name: "rateLimit", open: (host) => openRateLimit(options, host) };
}

function openRateLimit({ policies, store, costs = {}, timeoutMs = 250 }: RateLimitOptions, { environment }: Host): OpenCapability {
  const { clock, timers, logger, trustedHops } = environment;
  const own = memoryRateLimits({ clock });
  const guarded = new GuardedStore(store ?? own, { clock, timers, logger, timeoutMs, own });
  const known = new WeakMap<Operation, OperationPolicies>();
  let warned = false;
  const limiter: Limiter = {
    store: guarded,
    clock,
    policiesOf(operation) {
      let found = known.get(operation);
      if (found === undefined) {
        found = policiesOf(policies, costs[operation.name] ?? operation.cost ?? 1, operation);
        known.set(operation, found);
      }
      return found;
    },
    missesAddress() {
      if (!warned) logger.warn({ trustedHops }, "The host gives no address of the client: requests without credentials are not limited.");
      warned = true;
    },
  };
  return {
    limitRate: (address) => new PolicyCount(limiter, address),
    check(routes) {
      for (const { name, operations = [] } of policies) requireOperations(`the policy "${name}"`, operations, routes);
      requireOperations(`"costs"`, Object.keys(costs), routes);
    },
    start: () => void guarded.prepare().catch(() => undefined),
    closes: store === undefined ? [] : [store],
  };
}

function policiesOf(policies: readonly RateLimitPolicy[], cost: number, operation: Operation): OperationPolicies {
  const all = cost === 0 ? [] : policies.filter((policy) => concerns(policy, operation));
  return {
    byAddress: all.filter(({ by }) => by === "address"),
    byPrincipal: all.filter(({ by }) => by !== "address"),
    cost,
  };
}
