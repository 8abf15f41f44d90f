import type { Found } from "../../src/auth/verifier.js";
import type { GuardOptions } from "../../src/idempotency/guardOptions.js";
import { ConfigurationError } from "../../src/problem/index.js";

/** How a handler is guarded. */
export interface IdempotentOptions<Request> extends GuardOptions {
  /** Who sends a request: keys belong to a principal and its tenant. Nobody (`null`, `undefined`) is a caller without credentials. */
  readonly principal: (request: Request) => Found | Promise<Found>;
  /** Largest body that is read where no parser of the host has run before, in bytes (1 MiB); larger ones are answered 413. */
  readonly bodyLimitBytes?: number | undefined;
}

/**
 * The limit of bodies in bytes.
 *
 * @throws {ConfigurationError} for one that cannot be, and where `principal` is missing
 */
export function checkedLimit({ principal, bodyLimitBytes = 1_048_576 }: Pick<IdempotentOptions<never>, "principal" | "bodyLimitBytes">): number {
  if (typeof principal !== "function") throw new ConfigurationError(`"principal" must be a function that says who sends a request.`);
  if (Number.isSafeInteger(bodyLimitBytes) && bodyLimitBytes > 0) return bodyLimitBytes;
  throw new ConfigurationError(`"bodyLimitBytes" must be a whole number of at least 1; got ${String(bodyLimitBytes)}.`);
}
