import type { Filter } from "../../../ground/storage/filter.js";
import type { QueryField } from "../conditions/field.js";
import { isNegation, type Operator, takes } from "../conditions/operator.js";
import type { FilterTree } from "./tree.js";

/**
 * Marks a condition as one on a related row, if the field belongs to one. A negation applies to the whole: a row that has no related
 * row also counts as one whose related row does not match.
 */
export function overRelation(field: QueryField, operator: Operator, filter: Filter | undefined): FilterTree | undefined {
  const { relation } = field;
  if (filter === undefined) return undefined;
  if (relation === undefined) return filter;
  if (isNegation(operator)) return { op: "not", arg: related(relation, positive(filter)) };
  if (takes(operator, "presence") && filter.op === "eq") return { op: "not", arg: related(relation, { op: "has", path: filter.path }) };
  return related(relation, filter);
}

function related(relation: string, filter: Filter): FilterTree {
  return { op: "relation", relation, filter };
}

function positive(filter: Filter): Filter {
  if (filter.op === "not") return filter.arg;
  return filter.op === "ne" ? { op: "eq", path: filter.path, value: filter.value } : filter;
}
