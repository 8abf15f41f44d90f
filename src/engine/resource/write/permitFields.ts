import type { Action } from "../../../parts/auth/authorize.js";
import type { Context } from "../../operation/context.js";
import { askPermit, type Permit } from "../../operation/permit.js";
import type { Resource } from "../resource.js";

/**
 * Calls `authorize` for a write of these fields.
 *
 * @returns `undefined` if the collection is hidden from the principal
 * @throws {ProblemError} FORBIDDEN, UNAUTHENTICATED
 */
export function permitFields(context: Context, resource: Resource, action: Action, fields: readonly string[]): Promise<Permit | undefined> | Permit {
  const { environment, principal, authRequest } = context;
  if (environment.authorize === undefined) return context.permit;
  return askPermit(environment, { principal, authRequest, action, collection: resource.name, fields });
}
