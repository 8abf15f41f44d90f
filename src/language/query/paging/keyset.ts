import type { Filter } from "../../../ground/storage/filter.js";
import type { SortKey } from "../../../ground/storage/query.js";
import type { Scalar } from "../../../ground/storage/values/scalar.js";

/** A sort key with its value in the row next to the position. */
export interface KeysetKey extends SortKey {
  readonly value: Scalar;
  /** May be null in a row: null is the lowest value. */
  readonly nullable: boolean;
  /** How its values are compared, if not by their type. */
  readonly order?: { readonly as?: "decimal" } | undefined;
}

/**
 * The condition "comes after this row in the order of these keys", nulls included.
 *
 * The bound on the first key follows from the rest. Engines need it to find a position in an index, which they cannot do by an `or`.
 */
export function keysetFilter(keys: readonly KeysetKey[]): Filter {
  const [first, ...rest] = keys;
  if (first === undefined) return { op: "or", args: [] };
  if (rest.length === 0) return beyond(first) ?? { op: "or", args: [] };
  const alternatives: Filter[] = [];
  keys.forEach((key, index) => {
    const further = beyond(key);
    if (further === undefined) return;
    const equal = keys.slice(0, index).map(({ path, value }): Filter => ({ op: "eq", path, value }));
    alternatives.push(index === 0 ? further : { op: "and", args: [...equal, further] });
  });
  const bound = boundOf(first);
  const any: Filter = { op: "or", args: alternatives };
  return bound === undefined ? any : { op: "and", args: [bound, any] };
}

/** Strictly after the value; `undefined` if nothing is. */
function beyond({ path, dir, value, nullable, order }: KeysetKey): Filter | undefined {
  if (dir === "asc") return value === null ? { op: "has", path } : { op: "gt", path, value, ...order };
  if (value === null) return undefined;
  const lower: Filter = { op: "lt", path, value, ...order };
  return nullable ? { op: "or", args: [lower, { op: "eq", path, value: null }] } : lower;
}

function boundOf({ path, dir, value, nullable, order }: KeysetKey): Filter | undefined {
  if (dir === "asc") return value === null ? undefined : { op: "gte", path, value, ...order };
  if (value === null) return { op: "eq", path, value: null };
  const lower: Filter = { op: "lte", path, value, ...order };
  return nullable ? { op: "or", args: [lower, { op: "eq", path, value: null }] } : lower;
}
