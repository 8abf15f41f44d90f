import { type Principal, type ScopeQuestion, within } from "restwright";
import { isAdmin } from "./credentials.js";

/** Clerks see and change the users of their region. A clerk without a region, and every other role, sees none. */
export function usersOf({ principal }: ScopeQuestion): boolean | { readonly region: string } {
  if (seesAll(principal)) return true;
  const { role, region } = principal.claims ?? {};
  return role === "clerk" && typeof region === "string" && { region };
}

/** Orders follow their customers: whoever may see a customer may see and change the orders. */
export function ordersOf({ principal }: ScopeQuestion): true | ReturnType<typeof within> {
  return seesAll(principal) || within("customer");
}

/** Receipts follow their orders. */
export function receiptsOf({ principal }: ScopeQuestion): true | ReturnType<typeof within> {
  return seesAll(principal) || within("order");
}

/** Admins see all rows of their tenant. Without SHOP_AUTH every caller is anonymous: it has no tenant, and sees all rows without a tenant. */
function seesAll(principal: Principal): boolean {
  return principal.tenant === undefined || isAdmin(principal);
}
