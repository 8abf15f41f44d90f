import { ConfigurationError } from "../../ground/problem/index.js";
import { quoteValue } from "../../ground/problem/quote.js";
import type { Principal } from "./verifier.js";

/**
 * Every principal that the developer's code returns or passes comes through here. With an empty id or tenant, callers that have nothing in common would own rows,
 * keys and quotas together: a request of such a principal fails before anything is read or written.
 *
 * @param from where it comes from, for the message
 * @throws {ConfigurationError} for an id that is not a text of at least one character, or a tenant that is neither this nor `undefined`
 */
export function checkedPrincipal(principal: Principal, from = "a call"): Principal {
  const { id, tenant } = Object(principal) as Partial<Principal>;
  if (isName(id) && (tenant === undefined || isName(tenant))) return principal;
  const wrong = isName(id) ? `"tenant" ${quoteValue(tenant)}` : `"id" ${quoteValue(id)}`;
  throw new ConfigurationError(
    `A principal must be an object with an "id" of at least one character, such as { id: "7" }, and a "tenant" of at least one if it has one; that of ${from} has the ${wrong}.`,
  );
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
