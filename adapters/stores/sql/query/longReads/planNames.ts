import type { Path } from "../../../../../src/ground/storage/values/scalar.js";

/** How query plans of SQLite name a table and its columns. */
export interface PlanNames {
  /** The name of the table; `undefined` for a view, whose plans name the tables below it. */
  readonly table: string | undefined;
  /** The terms of an index search that only select the rows of the tenant. */
  readonly scope: readonly string[];
  /** Whether the index search of a line reads only rows of the tenant, so that no long run of others is passed over. */
  covers(line: string): boolean;
  /** The name of the column of a path. */
  columnOf(path: Path): string;
}

/** The terms of an index search in a line of a plan: `(_tenant=? AND status=?)`. */
export function termsOf(line: string): readonly string[] {
  const [, terms] = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/.exec(line) ?? [];
  return terms === undefined ? [] : terms.split(" AND ");
}
