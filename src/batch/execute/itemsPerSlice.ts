import type { Environment } from "../../operation/environment.js";
import type { Resource } from "../../resource/resource.js";
import { rowsPerCall } from "../../resource/write/rowsPerCall.js";

/** A write with events may create a delivery for each of a hundred webhooks, and all of them commit in one call of the store. Hooks may take as long. */
const maxHeardItems = 100;

/** How many items of a collection are written in one transaction. */
export function itemsPerSlice(resource: Resource, { events, hooks }: Environment): number {
  const maxItems = rowsPerCall(resource);
  const { name } = resource.model;
  return events?.concerns(name) === true || hooks?.concerns(name) === true ? Math.min(maxItems, maxHeardItems) : maxItems;
}
