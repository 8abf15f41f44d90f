import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { Table } from "../../schema/table.js";
import { looksIntoText } from "../looksIntoText.js";

/** Whether a single row may take long, because the filter searches in text or an array of any length. */
export function isHeavy(filter: Filter | undefined): boolean {
  switch (filter?.op) {
    case "and":
    case "or":
      return filter.args.some(isHeavy);
    case "not":
      return isHeavy(filter.arg);
    case "related":
      return isHeavy(filter.filter);
    case "contains":
      return true;
    default:
      return looksIntoText(filter);
  }
}

/** The columns that the heavy conditions of a filter search in. */
export function heavyColumns(filter: Filter | undefined, table: Table): readonly string[] {
  switch (filter?.op) {
    case "and":
    case "or":
      return filter.args.flatMap((arg) => heavyColumns(arg, table));
    case "not":
      return heavyColumns(filter.arg, table);
    case "contains":
    case "like":
      return [table.at(filter.path).column.quoted];
    case "search":
      return table.model.searchable.map((path) => table.at(path).column.quoted);
    default:
      return [];
  }
}
