import type { Environment } from "../operation/environment.js";
import type { ServiceParts } from "./place.js";
import type { Shops } from "./shop.js";

/** What the calls of a service are made of. */
export interface RegisteredCalls extends Pick<ServiceParts, "resources"> {
  readonly shops: Shops;
}

const registered = new WeakMap<Environment["models"], RegisteredCalls>();

/** Notes how the calls of a service are made, for rules that run within its writes. */
export function registerCalls({ models }: Environment, calls: RegisteredCalls): void {
  registered.set(models, calls);
}

/** How the calls of a service are made. @param environment that of the service, or one that was derived from it */
export function registeredCalls({ models }: Environment): RegisteredCalls {
  const calls = registered.get(models);
  if (calls === undefined) throw new Error("The calls of the service are not made yet.");
  return calls;
}
