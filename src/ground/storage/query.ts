import type { Filter } from "./filter.js";
import type { Path } from "./values/scalar.js";

export interface SortKey {
  readonly path: Path;
  readonly dir: "asc" | "desc";
}

/** A query to a store. The core has already added the tie-breaking key and compiled cursors into the filter. */
export interface Query {
  readonly filter?: Filter | undefined;
  /** Nulls and missing values come first ascending, last descending. */
  readonly sort: readonly SortKey[];
  /** Top-level or nested paths to return; absent means the whole row. The id and the reserved members are always returned. */
  readonly fields?: readonly Path[] | undefined;
  /** Whether the rows must have `_version`. With `false` a store that computes it for each row may leave it out. Default: true. */
  readonly versions?: boolean | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
  /**
   * Inside a transaction: locks the rows until it ends. `update`: no other transaction changes or removes them. `share`: no other transaction removes them, and others may
   * hold the same lock; the query waits for a row that another transaction is removing, and does not find it if that commits.
   */
  readonly lock?: "update" | "share" | undefined;
}
