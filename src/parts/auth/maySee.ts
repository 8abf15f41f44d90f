import type { Principal } from "./verifier.js";

/** What belongs to a principal of a tenant. */
interface Owned {
  readonly tenant: string | undefined;
  readonly owner: string;
}

/** Whether the principal owns something, or is an administrator of its tenant. */
export function maySee({ tenant, owner }: Owned, principal: Principal, settings: { isAdmin(principal: Principal): boolean }): boolean {
  return principal.tenant === tenant && (principal.id === owner || settings.isAdmin(principal));
}
