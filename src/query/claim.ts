import type { Gate } from "../schema/access.js";
import type { QueryField } from "./field.js";
import type { Operator } from "./operator.js";

/** What a key of a query string asks for: an operator on a field. */
export interface FilterKey {
  readonly kind: "filter";
  readonly field: QueryField;
  readonly operator: Operator;
  /** A list has its commas, an item is one value of a list (`name[]`), one is a value that has no lists. */
  readonly reading: "list" | "item" | "one";
  /** A bare `*` asks whether there is a value. */
  readonly star: boolean;
  /** Fields with a better right to the name: whoever may know of one of them cannot mean this. */
  readonly unless?: readonly QueryField[] | undefined;
  /** What the key means to those who may not know of the field. */
  readonly otherwise?: FilterKey | undefined;
}

/** What a key means to this principal: a field that is hidden from it leaves the name to others, as one that does not exist would. */
export function claimFor(key: FilterKey | undefined, gate: Gate): FilterKey | undefined {
  for (let claim = key; claim !== undefined; claim = claim.otherwise) {
    if (isKnown(claim.field, gate) && !claim.unless?.some((field) => isKnown(field, gate))) return claim;
  }
  return undefined;
}

function isKnown({ root }: QueryField, gate: Gate): boolean {
  return gate(root, "filter") !== "hidden";
}

/** Whether there may be principals from whom the field is hidden. */
export function mayHide({ root }: QueryField): boolean {
  return root.access?.onForbidden === "hide";
}

/** Fields that lay claim to a key. */
export function claimants(key: FilterKey | undefined): QueryField[] {
  const fields: QueryField[] = [];
  for (let claim = key; claim !== undefined; claim = claim.otherwise) fields.push(claim.field);
  return fields;
}

/** The first claims, then another one. */
export function withClaim(first: FilterKey | undefined, last: FilterKey): FilterKey {
  return first === undefined ? last : { ...first, otherwise: withClaim(first.otherwise, last) };
}
