import type { Planner } from "../planner.js";
import { postgresLocks } from "./postgresLocks.js";

/** What the planner of PostgreSQL has to be told. */
export const postgresPlanner: Planner = {
  unindexed: "",
  omitsConstantKeys: false,
  computesSkippedRows: true,
  listsAtOnce: false,
  searchesRowValues: () => true,
  // An index is searched with an array, whatever the engine knows of the table.
  isListed: (column, list) => `${column} = any(array(${list}))`,
  groups: "lateral",
  firstOfEach({ alias, columns, rest, limit, limitOfRow = limit, skipsLocked }) {
    const lock = skipsLocked === true ? postgresLocks.skipLocked : "";
    return `cross join lateral (select ${columns} ${rest} limit ${limitOfRow}${lock}) as ${alias}`;
  },
};
