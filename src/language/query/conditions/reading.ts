import type { Parsing } from "../parsing.js";

/** The location of something in a body. */
export type JsonPath = readonly (string | number)[];

/** The state of parsing a filter in a body: its input, and its result so far. */
export interface Reading extends Parsing {
  /** Conditions, `and`, `or` and `not` so far. */
  nodes: number;
}

/** Counts one more; `false` if the limit is reached, and then the rest is not read. */
export function mayGoOn(reading: Reading): boolean {
  reading.nodes += 1;
  return reading.nodes <= reading.settings.limits.filterNodes;
}
