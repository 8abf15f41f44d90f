import type { Gate } from "../../schema/access.js";
import type { QueryField } from "../conditions/field.js";
import type { Operator } from "../conditions/operator.js";

/** The meaning of a key of a query string: an operator on a field. */
export interface FilterKey {
  readonly kind: "filter";
  readonly field: QueryField;
  readonly operator: Operator;
  /** `list`: comma-separated values; `item`: one value of a list (`name[]`); `one`: a single value. */
  readonly reading: "list" | "item" | "one";
  /** Whether a bare `*` tests for a value. */
  readonly star: boolean;
  /** Fields with precedence for the name: a principal that may see one of them cannot mean this one. */
  readonly unless?: readonly QueryField[] | undefined;
  /** The meaning of the key for principals that must not know the field. */
  readonly otherwise?: FilterKey | undefined;
}

/** The meaning of a key for this principal: a hidden field leaves its name to others, as if it did not exist. */
export function claimFor(key: FilterKey | undefined, gate: Gate): FilterKey | undefined {
  for (let claim = key; claim !== undefined; claim = claim.otherwise) {
    if (isKnown(claim.field, gate) && !claim.unless?.some((field) => isKnown(field, gate))) return claim;
  }
  return undefined;
}

function isKnown({ root }: QueryField, gate: Gate): boolean {
  return gate(root, "filter") !== "hidden";
}

/** Whether the field may be hidden from some principals. */
export function mayHide({ root }: QueryField): boolean {
  return root.access?.onForbidden === "hide";
}

/** The fields that a key can mean. */
export function claimants(key: FilterKey | undefined): QueryField[] {
  const fields: QueryField[] = [];
  for (let claim = key; claim !== undefined; claim = claim.otherwise) fields.push(claim.field);
  return fields;
}

/** Combines claims in order of precedence. */
export function withClaim(first: FilterKey | undefined, last: FilterKey): FilterKey {
  return first === undefined ? last : { ...first, otherwise: withClaim(first.otherwise, last) };
}
