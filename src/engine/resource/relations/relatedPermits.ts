import type { Action } from "../../../parts/auth/authorize.js";
import type { Context } from "../../operation/context.js";
import { type Permit, tryPermit } from "../../operation/permit.js";
import type { LinkedResource } from "./link.js";

/** The permission of the principal in a related collection: `read` for a to-one relation, `list` for a to-many relation; `undefined` if there is none. */
export type RelatedPermits = (target: LinkedResource, action: Action) => Permit | undefined | Promise<Permit | undefined>;

const everything: Permit = { fields: undefined };

/** Calls `authorize` for each collection and action once per request, however often they are included. */
export function relatedPermits({ environment, principal }: Context): RelatedPermits {
  if (environment.authorize === undefined) return () => everything;
  const known = new Map<string, Promise<Permit | undefined>>();
  return ({ name }, action) => {
    const key = `${action} ${name}`;
    const permit = known.get(key) ?? tryPermit(environment, { principal, action, collection: name });
    known.set(key, permit);
    return permit;
  };
}
