/** Some rows of a table for each row of a query, as a part of its `from`. */
export interface FirstOfEach {
  /** The quoted name of the table of the rows, and its alias in the query. */
  readonly table: string;
  readonly alias: string;
  /** The quoted name of a column of the table that names one row. */
  readonly key: string;
  /** The alias of the table where the rows are chosen: in `columns`, `rest` and the limits. */
  readonly inner: string;
  /** The columns that the query uses. */
  readonly columns: string;
  /** Which rows, in which order: from `from` on, to the limit. */
  readonly rest: string;
  readonly limit: string;
  /** A smaller limit, for engines whose limits may name columns of the row of the query. */
  readonly limitOfRow?: string | undefined;
  /** Whether the rows are locked, and those that others have locked are passed over. */
  readonly skipsLocked?: boolean | undefined;
}

/** What the planner of an engine has to be told, so that a statement reads only the rows that it returns. */
export interface Planner {
  /** The sign that keeps an expression from choosing the index; empty if the planner knows better. */
  readonly unindexed: string;
  /** Whether an order uses an index only without the leading keys that have one value in all rows. */
  readonly omitsConstantKeys: boolean;
  /** Whether selected expressions are also computed for the rows that an offset skips. */
  readonly computesSkippedRows: boolean;
  /** Whether a `select` of a list runs as a whole, even if one row of it is asked for. */
  readonly listsAtOnce: boolean;
  /** Whether an index is searched with row values. @param isRowid whether the id of the table is its row id */
  searchesRowValues(isRowid: boolean): boolean;
  /** The condition "a column is one of the items of a list", a `select`, so that the engine searches an index of the column. */
  isListed(column: string, list: string): string;
  /** How one statement finds the first rows of each group: by `lateral`, or by the row ids of a `select` for each; `undefined` if it does not. */
  readonly groups: "lateral" | "rowid" | undefined;
  /** A table of a `from` that has for each row of the tables before it the first rows of another table. */
  firstOfEach(rows: FirstOfEach): string;
}
