import type { Operation } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";
import { callable, either, oneOf, passing, strict, texts, whole } from "../../ground/options/index.js";
import { closest } from "../../ground/problem/closest.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { RateLimitAlgorithm } from "../../ground/storage/rateLimits.js";
import type { Principal } from "../../parts/auth/verifier.js";

/** A limit, and what it applies to. */
export interface RateLimitPolicy {
  /** Name in headers and problems, e.g. `minute`: at most 64 letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  /** How many requests are allowed within the window, from 1. A function is asked after authentication; with `Infinity` the principal has no limit. */
  readonly limit: number | ((principal: Principal) => number);
  /** Length of the window in milliseconds, from 1,000 to 31 days. */
  readonly windowMs: number;
  /** How requests are counted. Defaults to `fixed-window`. */
  readonly algorithm?: RateLimitAlgorithm | undefined;
  /**
   * - `principal` (default): counted after authentication, for each principal; for each address if the request has no credentials, or wrong ones.
   * - `address`: counted before authentication, so that guessing credentials is limited too.
   */
  readonly by?: "principal" | "address" | undefined;
  /** Names of operations, e.g. `payments.create` or `payments.*`; they are counted together. Batches count as the operation of their items. Defaults to all operations. */
  readonly operations?: readonly string[] | undefined;
}

const month = 31 * 24 * 3_600_000;

/** The schema of a policy. */
export const policySchema = () =>
  strict<RateLimitPolicy>(
    {
      name: passing("1 to 64 letters, digits, - _ and .", (value) => typeof value === "string" && /^[\w.-]{1,64}$/.test(value)),
      limit: either("a whole number of at least 1, or a function of the principal", whole(1), callable()),
      windowMs: whole(1_000, month),
      algorithm: oneOf("fixed-window", "gcra"),
      by: oneOf("principal", "address"),
      operations: texts(),
    },
    ["name", "limit", "windowMs"],
  );

/** @throws {ConfigurationError} for two policies with one name, and a limit by address that depends on the principal */
export function checkPolicies(policies: readonly RateLimitPolicy[]): void {
  const names = new Set<string>();
  for (const { name, limit, by } of policies) {
    if (names.has(name)) throw new ConfigurationError(`rateLimit: two policies are called "${name}".`);
    names.add(name);
    if (by === "address" && typeof limit === "function") {
      throw new ConfigurationError(`rateLimit: the policy "${name}" counts by address, before the principal is known; its "limit" must be a number.`);
    }
  }
}

/** Whether a policy counts an operation. */
export function concerns({ operations }: RateLimitPolicy, operation: Operation): boolean {
  return operations === undefined || operations.some((pattern) => matches(pattern, operation));
}

function matches(pattern: string, { name, itemName }: Operation): boolean {
  if (!pattern.endsWith(".*")) return pattern === name || pattern === itemName;
  return name.startsWith(pattern.slice(0, -1));
}

/** @throws {ConfigurationError} for a name that no operation has, because it would have no effect */
export function requireOperations(where: string, patterns: readonly string[], routes: readonly Route[]): void {
  for (const pattern of patterns) {
    const all = routes.flatMap(({ operations }) => operations);
    if (all.some((operation) => matches(pattern, operation))) continue;
    const names = all.map(({ name }) => name);
    const near = closest(pattern, names);
    const hint = near === undefined ? `there are: ${names.slice(0, 30).join(", ")}` : `did you mean "${near}"?`;
    throw new ConfigurationError(`rateLimit: ${where} names "${pattern.slice(0, 64)}", which is not an operation of this service; ${hint}`);
  }
}
