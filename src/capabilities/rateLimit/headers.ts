import type { ResponseHeaders } from "../../ground/http/message.js";
import type { RateLimitTake, RateLimitTaken } from "../../ground/storage/rateLimits.js";

/** A policy, and what is left of it for one key. */
export interface Counted {
  readonly policy: Pick<RateLimitTake, "name" | "limit" | "windowMs">;
  readonly taken: RateLimitTaken;
}

/** The policy that restricts a client most: refused ones first, then the smallest share left. `undefined` for none. */
export function tightest(counted: readonly Counted[]): Counted | undefined {
  let tight = counted[0];
  for (const each of counted) if (tight !== undefined && isTighter(each, tight)) tight = each;
  return tight;
}

function isTighter(one: Counted, other: Counted): boolean {
  if (one.taken.allowed !== other.taken.allowed) return other.taken.allowed;
  if (!one.taken.allowed) return one.taken.retryMs > other.taken.retryMs;
  return one.taken.remaining / one.policy.limit < other.taken.remaining / other.policy.limit;
}

/**
 * Adds the headers of a response: each policy with what is left of it, and the tightest one in the older form.
 *
 * @see draft-ietf-httpapi-ratelimit-headers-10
 */
export function addRateLimitHeaders(headers: ResponseHeaders, counted: readonly Counted[], nowMs: number): void {
  const tight = tightest(counted);
  if (tight === undefined) return;
  const { policy, taken } = tight;
  headers["x-ratelimit-limit"] = String(policy.limit);
  headers["x-ratelimit-remaining"] = String(taken.remaining);
  headers["x-ratelimit-reset"] = String(Math.ceil((nowMs + taken.resetMs) / 1_000));
  let policies = "";
  let left = "";
  for (const { policy: each, taken: of } of counted) {
    const separator = left === "" ? "" : ", ";
    // A string of a structured field (RFC 9651 §3.3.3). Names are checked to contain nothing that needs an escape.
    policies += `${separator}"${each.name}";q=${each.limit};w=${toSeconds(each.windowMs)}`;
    left += `${separator}"${each.name}";r=${of.remaining};t=${toSeconds(of.resetMs)}`;
  }
  headers["ratelimit-policy"] = policies;
  headers["ratelimit"] = left;
}

/** Rounded up, so that a client that waits so long is not refused again. */
export function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
