import type { Planner } from "../planner.js";

/** What the planner of SQLite has to be told. */
export const sqlitePlanner: Planner = {
  // It would rather walk the index of an order than search that of a unique key.
  unindexed: "+",
  omitsConstantKeys: true,
  computesSkippedRows: false,
  listsAtOnce: true,
  searchesRowValues: (isRowid) => !isRowid,
  isListed: (column, list) => `${column} in (${list})`,
  groups: "rowid",
  // There is no `lateral`, and limits cannot name columns.
  firstOfEach: ({ table, alias, key, inner, rest, limit }) =>
    `cross join ${table} as ${alias} on ${alias}.${key} in (select ${inner}.${key} ${rest} limit ${limit})`,
};
