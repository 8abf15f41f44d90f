import { idOrder } from "../../../../src/ground/storage/compositeId.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";
import type { Table } from "../schema/table.js";
import { conjuncts } from "./lexicographic.js";
import { boundKeys } from "./uniqueKeys.js";

/** One expression of an `order by`. */
export interface OrderMember {
  readonly expression: string;
  readonly direction: string;
  /** The expression whose code points are in this order, if it is another. */
  readonly key?: string | undefined;
}

/** The expressions of an `order by`. Null is the lowest value on every engine. */
export function orderMembers(sort: readonly SortKey[], table: Table): OrderMember[] {
  return sort.flatMap(({ path, dir }) => {
    const { column, keys, missing } = table.at(path);
    const { kind, quoted, parts, ordered = quoted } = column;
    if (parts !== undefined)
      return orderMembers(
        idOrder(table.model).map((key) => ({ ...key, dir })),
        table,
      );
    // Only JSON columns have values below them. For any other column all rows are equal.
    const plain = keys.length === 0 ? [ordered] : [];
    const expressions = kind === "json" ? table.dialect.json(quoted, keys, missing).order : plain;
    // An ordinary index serves an order of values that are never null only if the order does not name nulls.
    const nulls = column.isNullable ? (dir === "asc" ? " nulls first" : " nulls last") : "";
    const direction = `${dir}${nulls}`;
    return expressions.map((expression) => ({ expression, direction, key: keys.length === 0 ? column.sortKey : undefined }));
  });
}

/** The same for rows that match a filter. The few rows of a unique key are sorted, so that the engine does not walk the index of the order. */
export function orderBeside(filter: Filter | undefined, sort: readonly SortKey[], table: Table): OrderMember[] {
  const members = orderMembers(sort, table);
  const { unindexed } = table.dialect.planner;
  if (filter === undefined || unindexed === "" || boundKeys(conjuncts(filter), table) === undefined) return members;
  return members.map((member) => ({ ...member, expression: `${unindexed}${member.expression}` }));
}

export function writeOrder(members: readonly OrderMember[]): string {
  return members.length === 0 ? "" : ` order by ${members.map(({ expression, direction }) => `${expression} ${direction}`).join(", ")}`;
}
