import type { Filter } from "../storage/filter.js";
import type { QueryField } from "./field.js";
import type { Operator } from "./operator.js";
import type { FilterTree } from "./tree.js";

/**
 * Says of a condition that it is one on a related row, where the field is one's. A negation is the negation of the whole: a row that has no related
 * row is among those whose related row does not match.
 */
export function overRelation({ relation }: QueryField, operator: Operator, filter: Filter | undefined): FilterTree | undefined {
  if (relation === undefined || filter === undefined) return filter;
  if (operator === "ne" || operator === "nin") return { op: "not", arg: { op: "related", relation, filter: positive(filter) } };
  if (operator === "exists" && filter.op === "eq") return { op: "not", arg: { op: "related", relation, filter: { op: "has", path: filter.path } } };
  return { op: "related", relation, filter };
}

function positive(filter: Filter): Filter {
  if (filter.op === "not") return filter.arg;
  return filter.op === "ne" ? { op: "eq", path: filter.path, value: filter.value } : filter;
}
