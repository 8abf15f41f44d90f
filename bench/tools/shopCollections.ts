import type { Resource } from "restwright";
import * as shop from "../../examples/shop/resources.js";

/** The shop's collections without events, scopes, stamps, hooks and actions: the servers that they are compared with have neither webhooks nor rules for rows. */
export const users = plain(shop.users);
export const orders = plain(shop.orders);

function plain<R extends Resource>(resource: R): R {
  const options = { ...resource.options, scope: undefined, stamp: undefined, hooks: undefined, actions: undefined };
  return { ...resource, options, events: new Map(), capabilityOptions: new Map() };
}
