import { ConfigurationError } from "../problem/index.js";
import type { IdempotencySettings } from "./performOnce.js";

type Times = Pick<IdempotencySettings, "leaseMs" | "ttlMs" | "waitMs">;

const dayMs = 86_400_000;

/** How often the room of expired records is freed. */
export const purgeEveryMs = 600_000;

/**
 * The times of an operation's record, with their defaults.
 *
 * @param prefix What the options stand below, for messages: `idempotency.`
 * @throws {ConfigurationError} for times that cannot be
 */
export function resolveTimes(given: { readonly [name in keyof Times]?: number | undefined }, prefix = ""): Times {
  const { leaseMs = 60_000, ttlMs = dayMs, waitMs = 0 } = given;
  for (const [name, value, least] of [
    ["leaseMs", leaseMs, 1],
    ["ttlMs", ttlMs, leaseMs],
    ["waitMs", waitMs, 0],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < least) {
      throw new ConfigurationError(`"${prefix}${name}" must be a whole number of at least ${least} milliseconds; got ${String(value)}.`);
    }
  }
  return { leaseMs, ttlMs, waitMs };
}
