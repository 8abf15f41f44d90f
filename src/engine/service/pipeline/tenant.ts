import { ProblemError, problemAt } from "../../../ground/problem/index.js";
import type { AuthRequest, Principal } from "../../../parts/auth/verifier.js";
import type { ServiceOptions, TenantChoice } from "../options.js";

/**
 * The principal in the tenant that the developer's callback chooses.
 *
 * @throws {ProblemError} FORBIDDEN, INVALID_VALUE for a text that cannot be a tenant
 */
export async function inTenant(tenant: NonNullable<ServiceOptions["tenant"]>, request: AuthRequest, principal: Principal): Promise<Principal> {
  const chosen: TenantChoice = await tenant(request, principal);
  if (chosen === undefined) return principal;
  if (chosen === false) throw new ProblemError("FORBIDDEN", "Not allowed to act for this tenant.");
  if (typeof chosen !== "string")
    throw new TypeError(`"tenant" must return a text, undefined or false; it returned a value of the type ${typeof chosen}.`);
  // The callback may return the header as it was sent, and every store keeps tenants in keys.
  if (chosen === "" || chosen.length > maxCharacters || !/^[\x21-\x7e]+$/.test(chosen)) {
    const detail = `The tenant must be 1 to ${maxCharacters} visible ASCII characters.`;
    throw problemAt("INVALID_VALUE", detail, { header: "X-Tenant-ID" });
  }
  return { ...principal, tenant: chosen };
}

const maxCharacters = 128;
