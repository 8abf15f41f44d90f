import { ProblemError } from "../../ground/problem/index.js";
import { checkedPrincipal } from "../../parts/auth/checkedPrincipal.js";
import { anonymous, type Principal } from "../../parts/auth/verifier.js";
import type { Environment } from "./environment.js";

/** How work that continues after its request learns what its principal may do now. */
export interface PrincipalOptions {
  /**
   * Returns the principal with today's scopes and claims; `null` or `undefined` if it no longer exists or may do nothing any more. Id and tenant stay the same. `false`: work goes
   * on with the scopes and claims of its request.
   */
  readonly reload: false | ((principal: Principal) => Principal | null | undefined | Promise<Principal | null | undefined>);
}

/** What {@link renewPrincipal} needs. */
export type Renewing = Pick<Environment, "principals" | "logger">;

/**
 * The principal with what it may do now. Without `reload` it is the one that was stored, and the anonymous principal never changes.
 *
 * @throws {ProblemError} FORBIDDEN if it no longer exists
 * @throws {ConfigurationError} for one with an empty id or tenant
 */
export async function renewPrincipal({ principals, logger }: Renewing, stored: Principal): Promise<Principal> {
  if (!principals?.reload || stored === anonymous) return stored;
  const renewed = await principals.reload(stored);
  if (renewed) checkedPrincipal(renewed, `"principals.reload"`);
  if (renewed?.id === stored.id && renewed.tenant === stored.tenant) return renewed;
  if (renewed) logger.error({}, `"principals.reload" returned a principal with another id or tenant; it counts as removed.`);
  throw new ProblemError("FORBIDDEN", "The principal of this request no longer exists, or may not do this any more.");
}
