import type { Gate } from "../../schema/access.js";
import type { QueryField } from "../conditions/field.js";
import { isOperator } from "../conditions/operator.js";
import { forbiddenField, operatorNotAllowed, unknownOperator } from "../fault.js";
import type { Parsing } from "../parsing.js";
import type { QueryTable } from "../table.js";
import { unknownField } from "../unknownField.js";
import { claimFor } from "./claim.js";
import { controlNames } from "./control.js";

/**
 * Reports the fault of a key that is not in the table, or is there for a field that this principal may not see. Both are taken apart
 * in the same way, and a field is only recognised if the principal may see it.
 */
export function unknownKey(key: string, parsing: Parsing): void {
  const { table, gate, faults } = parsing;
  const place = { parameter: key };
  const { base, operator } = split(key, table, gate);
  const field = fieldOf(base, table, gate);
  if (field === undefined) unknownField(base, place, parsing, wordsFor(table, gate));
  else if (gate(field.root, "filter") === "forbidden") faults.push(forbiddenField(field.key, "filter", place));
  else if (operator === undefined) faults.push(operatorNotAllowed("eq", field, place));
  else faults.push(isOperator(operator) ? operatorNotAllowed(operator, field, place) : unknownOperator(operator, field, place));
}

/** The field that a spelling means for this principal. */
function fieldOf(spelling: string, { spellings }: QueryTable, gate: Gate): QueryField | undefined {
  return claimFor(spellings.get(spelling), gate)?.field;
}

/** If this principal cannot search anything, `q` is not offered as a hint. */
function wordsFor({ searchable }: QueryTable, gate: Gate): readonly string[] {
  const searches = searchable.some(({ root }) => gate(root, "filter") === "allowed");
  return searches ? controlNames : controlNames.filter((name) => name !== "q" && name !== "search");
}

/** `total[foo]` → `total` and `foo`. Text in brackets is an operator if a known name is before it, otherwise part of the name. */
function split(key: string, table: QueryTable, gate: Gate): { readonly base: string; readonly operator?: string | undefined } {
  const whole = key.endsWith("[]") ? key.slice(0, -2) : key;
  if (whole.endsWith("!")) return { base: whole.slice(0, -1), operator: "ne" };
  const bracket = whole.endsWith("]") ? whole.lastIndexOf("[") : -1;
  const underscores = whole.lastIndexOf("__");
  for (const [end, start, stop] of [
    [bracket, bracket + 1, whole.length - 1],
    [underscores, underscores + 2, whole.length],
  ] as const) {
    if (end <= 0) continue;
    const [base, operator] = [whole.slice(0, end), whole.slice(start, stop)];
    if (isOperator(operator) || hasNoMembers(base, table, gate)) return { base, operator };
  }
  return { base: whole };
}

/** After a field with members, an unknown word in brackets is probably a member. */
function hasNoMembers(base: string, table: QueryTable, gate: Gate): boolean {
  const field = fieldOf(base, table, gate);
  return field !== undefined && field.field.kind !== "object";
}
