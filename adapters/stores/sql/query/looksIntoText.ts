import type { Filter } from "../../../../src/ground/storage/filter.js";

/** Whether a filter searches in the text of each row. */
export function looksIntoText(filter: Filter | undefined): boolean {
  switch (filter?.op) {
    case "and":
    case "or":
      return filter.args.some(looksIntoText);
    case "not":
      return looksIntoText(filter.arg);
    case "like":
      return filter.parts.some((part) => typeof part !== "string");
    case "search":
      return true;
    case "related":
      return looksIntoText(filter.filter);
    default:
      return false;
  }
}
