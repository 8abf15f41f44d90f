import type { Gate } from "../schema/access.js";
import type { Faults } from "./fault.js";
import type { QuerySettings } from "./settings.js";
import type { QueryTable } from "./table.js";

/** Where something stands in a body. */
export type JsonPath = readonly (string | number)[];

/** One reading of a filter in a body: what it works with, and what it has found. */
export interface Reading {
  readonly table: QueryTable;
  readonly gate: Gate;
  readonly settings: QuerySettings;
  readonly faults: Faults;
  /** Conditions, `and`, `or` and `not` so far. */
  nodes: number;
}

/** Counts one more; `false` where the limit leaves no room for it, and the rest is not read. */
export function mayGoOn(reading: Reading): boolean {
  reading.nodes += 1;
  return reading.nodes <= reading.settings.limits.filterNodes;
}
