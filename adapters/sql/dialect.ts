import type { LikePart } from "../../src/storage/filter.js";
import type { ColumnKind } from "../../src/storage/model.js";
import type { Scalar } from "../../src/storage/scalar.js";
import type { Bindings } from "./bindings.js";

/** How one place inside a JSON column compares with values of one type. */
export interface JsonComparison {
  /** Null where the place is missing, null or of another type. */
  readonly typed: string;
  /** One of the expressions of `order`, so that an index on them serves comparisons too. It says nothing where `only` does not hold. */
  readonly indexed: string;
  readonly only: string | undefined;
  /** Follows from equality; an index needs it to go on behind the members of `order`. */
  readonly behind: string | undefined;
}

/** Expressions for one place inside a JSON column. */
export interface JsonPlace {
  readonly text: JsonComparison;
  readonly number: JsonComparison;
  readonly boolean: JsonComparison;
  /** Null only where the place is missing or null. */
  readonly present: string;
  /** True where the place is missing or null. */
  readonly missing: string;
  /** What `order by` and indexes name for it, in this order. */
  readonly order: readonly string[];
}

/** Where the engines differ. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Ends a `select` that keeps its rows locked until the transaction ends. */
  readonly lock: string;
  /** Whether one statement takes a whole chunk of rows as JSON, exactly. */
  readonly bulk: boolean;
  /** Whether a failed statement spoils the transaction that it stands in. */
  readonly failureSpoilsTransaction: boolean;
  placeholder(position: number): string;
  columnType(kind: ColumnKind): string;
  /** Follows the placeholder of a value of this kind. */
  cast(kind: ColumnKind): string;
  /** A value of a row as the driver takes it; null where it is absent. */
  encode(kind: ColumnKind, value: unknown): unknown;
  /** A stored value, never null, as the row has it. */
  decode(kind: ColumnKind): (stored: unknown) => unknown;
  /** The parameter that a filter compares a column with, or `undefined` where no value of the column can equal it. */
  comparable(kind: ColumnKind, value: Scalar, bindings: Bindings): string | undefined;
  /** The parameter that a filter compares the value at a place inside JSON with. */
  comparableJson(value: string | number | bigint | boolean, bindings: Bindings): string;
  /** True where an expression of `order` has a value: a range of an index where the engine sees one in it. */
  valued(kind: ColumnKind, expression: string): string;
  /** True where the two differ, null being a value of its own. */
  distinct(left: string, right: string): string;
  like(expression: string, parts: readonly LikePart[], bindings: Bindings): string;
  includes(expression: string, needle: string): string;
  /** A sub-select of the items of a bound JSON array, as `item`. */
  list(kind: "text" | "int", parameter: string): string;
  json(column: string, keys: readonly string[]): JsonPlace;
  jsonContains(column: string, keys: readonly string[], value: string | number | bigint | boolean, bindings: Bindings): string;
}
