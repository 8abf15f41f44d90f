import type { SortKey } from "../../src/storage/query.js";
import { columnOf, type Table } from "./table.js";

/** One member of an `order by`. */
export interface OrderMember {
  readonly expression: string;
  readonly direction: string;
}

/** Null is the lowest value, whatever the engine thinks. */
export function orderMembers(sort: readonly SortKey[], table: Table): OrderMember[] {
  return sort.flatMap(({ path: [name, ...keys], dir }) => {
    const { kind, quoted } = columnOf(table, name);
    // A column that is no JSON has nothing below it: all rows tie.
    const plain = keys.length === 0 ? [quoted] : [];
    const expressions = kind === "json" ? table.dialect.json(quoted, keys).order : plain;
    const direction = dir === "asc" ? "asc nulls first" : "desc nulls last";
    return expressions.map((expression) => ({ expression, direction }));
  });
}

export function writeOrder(members: readonly OrderMember[]): string {
  return members.length === 0 ? "" : ` order by ${members.map(({ expression, direction }) => `${expression} ${direction}`).join(", ")}`;
}
