import type { Resource } from "../resource.js";

const maxRows = 1_000;
const maxValues = 25_000;

/** How many rows one call of a store reads or writes: fewer for wide rows, because a store may process all of them in one turn of the event loop. */
export function rowsPerCall({ fields }: Pick<Resource, "fields">): number {
  return Math.max(1, Math.min(maxRows, Math.floor(maxValues / fields.size)));
}
