import type { Resource } from "restwright";
import * as shop from "../examples/shop/resources.js";

/** The shop's collections without events: who measures requests has no webhooks. */
export const users = withoutCapabilities(shop.users);
export const orders = withoutCapabilities(shop.orders);

function withoutCapabilities<R extends Resource>(resource: R): R {
  return { ...resource, events: new Map(), capabilityOptions: new Map() };
}
