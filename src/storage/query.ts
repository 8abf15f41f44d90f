import type { Filter } from "./filter.js";
import type { Path } from "./scalar.js";

export interface SortKey {
  readonly path: Path;
  readonly dir: "asc" | "desc";
}

/** What a store is asked for. The core has already added the tie-breaking key and compiled cursors into the filter. */
export interface Query {
  readonly filter?: Filter | undefined;
  /** Nulls and missing values come first ascending, last descending. */
  readonly sort: readonly SortKey[];
  /** Top-level or nested paths to return; absent means the whole row. The id and the reserved members always come along. */
  readonly fields?: readonly Path[] | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
  /** Inside a transaction: keep the rows locked until it ends. */
  readonly lock?: "update" | undefined;
}
