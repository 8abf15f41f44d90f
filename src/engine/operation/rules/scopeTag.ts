import { createHash } from "node:crypto";
import type { Filter } from "../../../ground/storage/filter.js";
import type { AllowedRows } from "./allowedRows.js";

/**
 * Identifies the rows that a scope allows, by its filter without the values of dates: scopes such as "since last month" stay the same. The order of conditions and of values does not
 * matter. `undefined` if all rows are allowed.
 */
export function scopeTag({ filter }: AllowedRows): string | undefined {
  return filter === undefined ? undefined : createHash("sha256").update(textOf(filter)).digest("base64url");
}

function textOf(filter: Filter): string {
  switch (filter.op) {
    case "and":
    case "or":
      return JSON.stringify([filter.op, ...filter.args.map(textOf).sort()]);
    case "not":
      return JSON.stringify([filter.op, textOf(filter.arg)]);
    case "related":
      return JSON.stringify([filter.op, filter.path, filter.collection.name, textOf(filter.filter)]);
    case "in":
      return JSON.stringify([filter.op, filter.path, [...new Set(filter.values.map(valueText))].sort()]);
    case "eq":
    case "ne":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
    case "contains":
      return JSON.stringify([filter.op, filter.path, valueText(filter.value)]);
    default:
      return JSON.stringify(filter);
  }
}

function valueText(value: unknown): string {
  if (value instanceof Date) return "date";
  return typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
}
