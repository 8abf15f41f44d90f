import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";
import { samePath } from "./lexicographic.js";

/**
 * Simplifies a filter for rows in which the value at `path` is known to be null or missing (`isNull`), or known to have a value.
 *
 * @returns the rest of the filter, or a boolean if the answer is the same for all such rows
 */
export function assumeNull(filter: Filter, path: Path, isNull: boolean): Filter | boolean {
  switch (filter.op) {
    case "and":
    case "or":
      return assumeNullInAll(filter.op, filter.args, path, isNull);
    case "not": {
      const rest = assumeNull(filter.arg, path, isNull);
      return typeof rest === "boolean" ? !rest : { op: "not", arg: rest };
    }
    case "search":
      return filter;
    default:
      return samePath(filter.path, path) ? assumeNullAt(filter, isNull) : filter;
  }
}

function assumeNullInAll(op: "and" | "or", args: readonly Filter[], path: Path, isNull: boolean): Filter | boolean {
  const decisive = op === "or";
  const left: Filter[] = [];
  for (const arg of args) {
    const rest = assumeNull(arg, path, isNull);
    if (rest === decisive) return decisive;
    if (typeof rest !== "boolean") left.push(rest);
  }
  const [only] = left;
  if (only === undefined) return !decisive;
  return left.length === 1 ? only : { op, args: left };
}

function assumeNullAt(filter: Extract<Filter, { readonly path: Path }>, isNull: boolean): Filter | boolean {
  switch (filter.op) {
    case "has":
      return !isNull;
    case "eq":
      if (filter.value === null) return isNull;
      return isNull ? false : filter;
    case "ne":
      if (filter.value === null) return !isNull;
      return isNull ? true : filter;
    case "in":
      return isNull ? filter.values.includes(null) : filter;
    default:
      return isNull ? false : filter;
  }
}
