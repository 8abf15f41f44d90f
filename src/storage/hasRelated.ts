import type { Filter } from "./filter.js";

/** Whether rows of another collection also decide which rows match. */
export function hasRelated(filter: Filter): boolean {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.args.some(hasRelated);
    case "not":
      return hasRelated(filter.arg);
    default:
      return filter.op === "related";
  }
}
