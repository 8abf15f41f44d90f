import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";
import type { Id, Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { ValuesAt } from "./compileSort.js";

/** The ids of rows by their unique key. */
export interface UniqueIndex {
  readonly fields: readonly string[];
  /** The key of a row; `undefined` if a field is null, so that the row cannot conflict. */
  keyOf(row: Row): string | undefined;
  holder(key: string): Id | undefined;
}

/** Rows that include all rows that match a filter. */
export interface Source {
  readonly rows: Iterable<Row>;
  /** Whether they come in the order of the sort. */
  readonly isOrdered: boolean;
  /** How many matches of the page's offset were already left out. */
  readonly skipped: number;
}

/** Which of the matches are wanted. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The rows of one tenant in one collection, as a layer sees them. */
export interface Partition extends ValuesAt {
  readonly idField: string;
  /** The order of ids: by the parts of composite ones. */
  readonly idOrder: readonly SortKey[];
  readonly unique: readonly UniqueIndex[];
  readonly size: number;
  get(id: Id): Row | undefined;
  rows(): Iterable<Row>;
  /** Where to look for the rows of a query; `sort` is empty if any order will do. */
  source(filter: Filter | undefined, sort: readonly SortKey[], page: Page): Source;
  /** The id of the row that an operation inserted. */
  inserted(operationId: string): Id | undefined;
  put(id: Id, row: Row, operationId?: string | undefined): void;
  delete(id: Id): void;
  /** Rows that include all rows whose value at `path` equals `value`; `undefined` if no index helps. */
  candidates(path: Path, value: Scalar): Iterable<Row> | undefined;
  /** Caches the number of rows that match a filter, until the next write: every page of a list has the total. */
  cacheCount?(filter: Filter, rows: number): void;
  /** The number of rows that match a filter, if it is known without reading them. */
  knownCount?(filter: Filter): number | undefined;
}

/** An id as a key of maps: 1 and 1n are the same row. */
export function idKey(id: Id): Id {
  return typeof id === "bigint" && id >= Number.MIN_SAFE_INTEGER && id <= Number.MAX_SAFE_INTEGER ? Number(id) : id;
}
