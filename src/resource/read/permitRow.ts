import type { Action } from "../../auth/authorize.js";
import type { Context } from "../../operation/context.js";
import { askPermit, type Permit } from "../../operation/permit.js";
import type { Row } from "../../storage/collection.js";
import type { Resource } from "../resource.js";

/** Calls `authorize` for this row; `undefined` if the row is hidden from the principal. */
export function permitRow(
  context: Context,
  resource: Resource,
  action: Action,
  row: Row,
  fields?: readonly string[],
): Promise<Permit | undefined> | Permit {
  const { environment, principal, authRequest } = context;
  if (environment.authorize === undefined) return context.permit;
  return askPermit(environment, { principal, authRequest, action, collection: resource.name, resource: row, fields });
}
