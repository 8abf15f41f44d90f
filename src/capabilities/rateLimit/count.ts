import type { RequestCount } from "../../engine/operation/answers/requestCount.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Clock } from "../../ground/clock/clock.js";
import type { ResponseHeaders } from "../../ground/http/message.js";
import { whenReady } from "../../ground/http/whenReady.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { RateLimitTake, RateLimitTaken } from "../../ground/storage/rateLimits.js";
import { callerKey } from "../../parts/auth/callerKey.js";
import { anonymous, type Principal } from "../../parts/auth/verifier.js";
import type { GuardedStore } from "./guardedStore.js";
import { addRateLimitHeaders, type Counted, tightest, toSeconds } from "./headers.js";
import type { RateLimitPolicy } from "./policy.js";

/** The policies of an operation, and how much one request takes from each. */
export interface OperationPolicies {
  readonly byAddress: readonly RateLimitPolicy[];
  readonly byPrincipal: readonly RateLimitPolicy[];
  readonly cost: number;
}

/** What the counts of all requests share. */
export interface Limiter {
  readonly store: GuardedStore;
  readonly clock: Clock;
  policiesOf(operation: Operation): OperationPolicies;
  /** Called if the host gives no address, so that limits by address cannot hold. */
  missesAddress(): undefined;
}

/** A class, because closures for each request would cost more than all counting in memory. */
export class PolicyCount implements RequestCount {
  readonly #limiter: Limiter;
  readonly #address: string | undefined;
  readonly #counted = new Map<RateLimitPolicy, Counted>();
  /** Whose limits were counted; `undefined` for a request without valid credentials, which is counted by address. */
  #principal: Principal | undefined;
  /** Policies from which the request has paid for its first item. */
  #prepaid: Set<RateLimitPolicy> | undefined;

  constructor(limiter: Limiter, address: string | undefined) {
    this.#limiter = limiter;
    this.#address = address;
  }

  beforeAuthentication(operation: Operation): void | Promise<void> {
    const { byAddress, cost } = this.#limiter.policiesOf(operation);
    return this.#take(byAddress, () => cost);
  }

  afterAuthentication(operation: Operation, principal: Principal | undefined): void | Promise<void> {
    if (principal !== anonymous) this.#principal = principal;
    const { byPrincipal, cost } = this.#limiter.policiesOf(operation);
    return this.#take(byPrincipal, () => cost);
  }

  items(operation: Operation, count: number): void | Promise<void> {
    const { byAddress, byPrincipal } = this.#limiter.policiesOf(operation);
    this.#prepaid ??= new Set(this.#counted.keys());
    const prepaid = this.#prepaid;
    // A full window admits the largest batch.
    return this.#take([...byAddress, ...byPrincipal], (policy, limit) => (prepaid.delete(policy) ? Math.min(count, limit) - 1 : count));
  }

  addHeaders(headers: ResponseHeaders): void {
    if (this.#counted.size > 0) addRateLimitHeaders(headers, [...this.#counted.values()], this.#limiter.clock.now());
  }

  #take(policies: readonly RateLimitPolicy[], costOf: (policy: RateLimitPolicy, limit: number) => number): void | Promise<void> {
    if (policies.length === 0) return;
    const taken = policies.map((policy) => this.#takeOne(policy, costOf));
    const waiting = taken.filter((each) => each instanceof Promise);
    if (waiting.length > 0) return Promise.all(waiting).then((others) => this.#require(others.every(Boolean) && taken.every(Boolean)));
    this.#require(taken.every(Boolean));
  }

  #takeOne(policy: RateLimitPolicy, costOf: (policy: RateLimitPolicy, limit: number) => number): boolean | Promise<boolean> {
    const { name, windowMs, algorithm = "fixed-window" } = policy;
    const limit = limitOf(policy, this.#principal);
    const cost = Math.min(costOf(policy, limit), limit);
    const key = this.#keyOf(policy);
    if (key === undefined || cost <= 0 || limit === Number.POSITIVE_INFINITY) return true;
    const take: RateLimitTake = { name, limit, windowMs, algorithm, cost };
    return whenReady(this.#limiter.store.take(key, take), (result) => this.#note(policy, take, result));
  }

  #keyOf({ by }: RateLimitPolicy): string | undefined {
    return callerKey(by === "address" ? undefined : this.#principal, this.#address) ?? this.#limiter.missesAddress();
  }

  #note(policy: RateLimitPolicy, take: RateLimitTake, taken: RateLimitTaken): boolean {
    this.#counted.set(policy, { policy: take, taken });
    return taken.allowed;
  }

  #require(allowed: boolean): void {
    if (!allowed) throw rateLimited([...this.#counted.values()]);
  }
}

/** A limit that a function gave for a principal must be usable, whatever it returned. */
function limitOf({ name, limit }: RateLimitPolicy, principal: Principal | undefined): number {
  if (typeof limit === "number") return limit;
  const found = limit(principal ?? anonymous);
  if (found === Number.POSITIVE_INFINITY || (Number.isSafeInteger(found) && found >= 1)) return found;
  throw new TypeError(
    `The limit of the rate limit policy "${name}" must be a whole number of at least 1, or Infinity; its function returned ${String(found)}.`,
  );
}

function rateLimited(counted: readonly Counted[]): ProblemError {
  const refused = counted.filter(({ taken }) => !taken.allowed);
  const tight = tightest(refused);
  const seconds = Math.max(1, toSeconds(tight?.taken.retryMs ?? 0));
  const limit =
    tight === undefined
      ? "The rate limit"
      : `The limit "${tight.policy.name}", ${tight.policy.limit} in ${toSeconds(tight.policy.windowMs)} seconds,`;
  return new ProblemError("RATE_LIMITED", `${limit} is used up; try again in ${seconds} seconds.`, {
    headers: { "retry-after": String(seconds) },
    extensions: { "violated-policies": refused.map(({ policy: { name } }) => name) },
  });
}
