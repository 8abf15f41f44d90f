import type { Filter, RelatedFilter } from "../../../../src/ground/storage/filter.js";
import { relatedFilters } from "../../../../src/ground/storage/filterParts.js";
import { ownName, quoteIdentifier } from "../schema/identifier.js";
import type { Table } from "../schema/table.js";
import { conjuncts, samePath } from "./lexicographic.js";

/** Where a condition stands in a statement. */
export interface Place {
  readonly tenant: string;
  /** The quoted name of the table, or its alias in a sub-select. */
  readonly name: string;
  /** How many sub-selects it is in. */
  readonly depth: number;
  readonly lookup: Lookup;
}

/**
 * How related rows are found: `list` selects the ids of all that match, which an index on the foreign key can be searched with, `row` the one of each row. Some
 * engines make the whole list in one step, even for one row; others plan both alike.
 */
export type Lookup = "list" | "row";

/** The beginning of the aliases of related tables, as query plans name them. */
const alias = `${ownName}_related`;

/** The place of the condition on the rows of a related table. */
export function placeInRelated({ depth, lookup }: Place, tenant: string): Place {
  return { tenant, name: quoteIdentifier(`${alias}${depth + 1}`), depth: depth + 1, lookup };
}

/** Whether a line of a query plan is about a related table. */
export function isAboutRelated(line: string): boolean {
  return line.includes(alias);
}

export function placeIn({ quoted }: Table, tenant: string, lookup: Lookup): Place {
  return { tenant, name: quoted, depth: 0, lookup };
}

/** How a statement with this filter finds related rows. Each row of its own if an id or a foreign key already says which rows these are. */
export function lookupOf(filter: Filter | undefined, { dialect, id }: Table): Lookup {
  if (filter === undefined || !dialect.planner.listsAtOnce || relatedFilters(filter).length === 0) return "list";
  const all = conjuncts(filter);
  const keys = all.filter(({ op }) => op === "related");
  const isKnown = all.some((each) => {
    if (each.op !== "eq" && each.op !== "in") return false;
    return samePath(each.path, [id.name]) || keys.some((key) => "path" in key && samePath(each.path, key.path));
  });
  return isKnown ? "row" : "list";
}

/** The related table of a condition, and whose rows of it count. */
export function relatedTable(
  { collection, shared }: RelatedFilter,
  table: Table,
  tenant: string,
): { readonly table: Table; readonly tenant: string } {
  return { table: table.tableOf(collection), tenant: shared ? "" : tenant };
}
