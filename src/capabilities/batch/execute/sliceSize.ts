import type { Environment } from "../../../engine/operation/environment.js";
import type { Resource } from "../../../engine/resource/resource.js";
import { rowsPerCall } from "../../../engine/resource/write/rowsPerCall.js";
import type { SliceWork } from "./slices.js";

/** A write with events may create a delivery for each of a hundred webhooks, and all of them commit in one call of the store. Hooks may take as long. */
const maxHeardItems = 100;

/** How many items of a collection are written in one transaction. Hooks that turn out to be quick get more, because a transaction for each hundred costs as much as they do. */
export function sliceSize(resource: Resource, { events, hooks, clock }: Environment): Pick<SliceWork<never, never>, "sliceItems" | "growth"> {
  const maxItems = rowsPerCall(resource);
  const { name } = resource.model;
  const isHeard = events?.concerns(name) === true;
  if (!isHeard && hooks?.concerns(name) !== true) return { sliceItems: maxItems };
  const sliceItems = Math.min(maxItems, maxHeardItems);
  return isHeard ? { sliceItems } : { sliceItems, growth: { maxItems, clock } };
}
