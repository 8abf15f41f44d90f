import { callable, optionsCheck, strict, whole } from "../../../src/ground/options/index.js";
import type { Found } from "../../../src/parts/auth/verifier.js";
import { createGuard, type Guard } from "../../../src/parts/idempotency/guard.js";
import { type GuardOptions, guardShape } from "../../../src/parts/idempotency/guardOptions.js";

/** Options of a guarded handler. */
export interface IdempotentOptions<Request> extends GuardOptions {
  /** The principal of a request: keys belong to a principal and its tenant. `null` or `undefined` is a caller without credentials. */
  readonly principal: (request: Request) => Found | Promise<Found>;
  /** The largest body, in bytes, that is read if no parser of the host ran before. Larger ones are answered with 413. Defaults to 1 MiB. */
  readonly bodyLimitBytes?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("idempotent", () =>
  strict<IdempotentOptions<never>>({ ...guardShape(), principal: callable(), bodyLimitBytes: whole(1) }, ["store", "principal"]),
);

/**
 * The guard of a handler, and the limit of its bodies in bytes.
 *
 * @throws {ConfigurationError} if the options are invalid
 */
export function guardOf(options: IdempotentOptions<never>): { readonly guard: Guard; readonly limitBytes: number } {
  check(options);
  const { principal: _principal, bodyLimitBytes: limitBytes = 1_048_576, ...others } = options;
  return { guard: createGuard(others), limitBytes };
}
