import type { Planner } from "../../../../../../adapters/stores/sql/engine/planner.js";

/** It knows neither `lateral` nor groups in one statement, and needs no hint. */
export const loftPlanner: Planner = {
  unindexed: "",
  omitsConstantKeys: false,
  computesSkippedRows: true,
  listsAtOnce: false,
  searchesRowValues: () => false,
  isListed: (column, list) => `exists (select 1 from (${list}) as listed where listed.item = ${column})`,
  groups: undefined,
  firstOfEach: ({ table, alias, key, inner, rest, limit }) =>
    `inner join ${table} as ${alias} on ${alias}.${key} in (select chosen."one" from (select ${inner}.${key} as "one" ${rest} limit ${limit}) as chosen)`,
};
