import type { Filter } from "../../src/storage/filter.js";
import type { Path } from "../../src/storage/scalar.js";
import { samePath } from "./lexicographic.js";

/** What is left of a filter where a place is known to be null or missing, or known not to be; a boolean where nothing is left to ask. */
export function assume(filter: Filter, path: Path, isNull: boolean): Filter | boolean {
  switch (filter.op) {
    case "and":
    case "or":
      return assumeAll(filter.op, filter.args, path, isNull);
    case "not": {
      const rest = assume(filter.arg, path, isNull);
      return typeof rest === "boolean" ? !rest : { op: "not", arg: rest };
    }
    case "search":
      return filter;
    default:
      return samePath(filter.path, path) ? assumeAt(filter, isNull) : filter;
  }
}

function assumeAll(op: "and" | "or", args: readonly Filter[], path: Path, isNull: boolean): Filter | boolean {
  const decisive = op === "or";
  const left: Filter[] = [];
  for (const arg of args) {
    const rest = assume(arg, path, isNull);
    if (rest === decisive) return decisive;
    if (typeof rest !== "boolean") left.push(rest);
  }
  const [only] = left;
  if (only === undefined) return !decisive;
  return left.length === 1 ? only : { op, args: left };
}

function assumeAt(filter: Extract<Filter, { readonly path: Path }>, isNull: boolean): Filter | boolean {
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
