import { ConfigurationError } from "../../ground/problem/index.js";
import type { IdempotencySettings } from "./performIdempotent.js";

type Times = Pick<IdempotencySettings, "leaseMs" | "ttlMs" | "waitMs">;

const dayMs = 86_400_000;

/** How often expired records are removed. */
export const purgeEveryMs = 600_000;

/**
 * The times of an operation's record, with their defaults.
 *
 * @param prefix Prefix of the options in messages: `idempotency.`
 * @throws {ConfigurationError} for invalid times
 */
export function resolveTimes(given: { readonly [name in keyof Times]?: number | undefined }, prefix = ""): Times {
  const { leaseMs = 60_000, ttlMs = dayMs, waitMs = 0 } = given;
  if (ttlMs < leaseMs) {
    throw new ConfigurationError(`"${prefix}ttlMs" must be a whole number of at least ${leaseMs} milliseconds; got ${ttlMs}.`);
  }
  return { leaseMs, ttlMs, waitMs };
}
