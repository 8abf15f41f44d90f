import type { Row } from "../../src/storage/collection.js";
import type { Filter } from "../../src/storage/filter.js";
import type { Id, Path, Scalar } from "../../src/storage/scalar.js";

/** Who holds which value of a unique key. */
export interface UniqueIndex {
  readonly fields: readonly string[];
  /** What the index keeps of a row, or `undefined` where a null makes the row collide with none. */
  keyOf(row: Row): string | undefined;
  holder(key: string): Id | undefined;
}

/** The rows of one tenant in one collection, as a layer sees them. */
export interface Partition {
  readonly idField: string;
  readonly unique: readonly UniqueIndex[];
  readonly size: number;
  get(id: Id): Row | undefined;
  rows(): Iterable<Row>;
  /** Id of the row that an operation has inserted. */
  inserted(operationId: string): Id | undefined;
  put(id: Id, row: Row, operationId?: string | undefined): void;
  delete(id: Id): void;
  /** At least all rows whose value at `path` equals `value`; `undefined` where no index tells. */
  candidates(path: Path, value: Scalar): Iterable<Row> | undefined;
  /** Keeps until the next write how many rows a filter means: the count of a list mostly follows it at once. */
  keepCount?(filter: Filter, rows: number): void;
  keptCount?(filter: Filter): number | undefined;
}

/** An id as a key of maps: 1 and 1n name the same row. */
export function idKey(id: Id): Id {
  return typeof id === "bigint" && id >= Number.MIN_SAFE_INTEGER && id <= Number.MAX_SAFE_INTEGER ? Number(id) : id;
}
