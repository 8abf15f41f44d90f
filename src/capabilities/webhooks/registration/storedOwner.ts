import type { Environment } from "../../../engine/operation/environment.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { anonymous, type Principal } from "../../../parts/auth/verifier.js";

/**
 * The owner as it is stored with a webhook; `null` for the anonymous principal.
 *
 * @returns `undefined` for claims that are not JSON values, if the service has no scopes that could need them
 * @throws {ConfigurationError} for such claims in a service with scopes
 */
export function storeOwner(principal: Principal, { rules }: Pick<Environment, "rules">): unknown {
  if (principal === anonymous) return null;
  const { id, tenant, scopes, claims } = principal;
  try {
    return JSON.parse(JSON.stringify({ ...principal, id, tenant, scopes, claims }));
  } catch (cause) {
    if (rules === undefined) return undefined;
    throw new ConfigurationError("The claims of a principal who registers a webhook must be JSON values, because they are stored with it.", {
      cause,
    });
  }
}

/** The owner of a webhook; `undefined` if it was registered before owners were stored. */
export function storedOwner({ principal }: Pick<Webhook, "principal">): Principal | undefined {
  return principal === null ? anonymous : (principal as Principal | undefined);
}
