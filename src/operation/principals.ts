import type { Principal } from "../auth/verifier.js";

/** How work that continues after its request learns what its principal may do now. */
export interface PrincipalOptions {
  /**
   * Returns the principal with today's scopes and claims; `null` or `undefined` if it no longer exists or may do nothing any more. Id and tenant stay the same. `false`: work goes
   * on with the scopes and claims of its request.
   */
  readonly reload: false | ((principal: Principal) => Principal | null | undefined | Promise<Principal | null | undefined>);
}
