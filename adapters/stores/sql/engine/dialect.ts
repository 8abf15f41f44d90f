import type { LikePart } from "../../../../src/ground/storage/filter.js";
import type { ColumnKind } from "../../../../src/ground/storage/model.js";
import type { Query } from "../../../../src/ground/storage/query.js";
import type { Scalar } from "../../../../src/ground/storage/scalar.js";
import type { MissingKeys } from "../schema/missing.js";
import { type Place, type PlaceOptions, placeOf } from "../schema/place.js";
import type { Bindings } from "./bindings.js";
import type { SqlExecutor } from "./executor.js";
import { postgresDialect } from "./postgres/postgresDialect.js";
import { sqliteDialect } from "./sqlite/sqliteDialect.js";

/** Expressions that compare a value inside a JSON column with values of one type. */
export interface JsonComparison {
  /** Null if the value is missing, null or of another type. */
  readonly typed: string;
  /** One of the expressions of `order`, so that their index also serves comparisons. Valid only if `only` holds. */
  readonly indexed: string;
  readonly only: string | undefined;
  /** A condition that follows from equality. The index needs it to use the keys after the expressions of `order`. */
  readonly implied: string | undefined;
}

/** Expressions for the value at one path inside a JSON column. */
export interface JsonPlace {
  readonly text: JsonComparison;
  readonly number: JsonComparison;
  readonly boolean: JsonComparison;
  /** Null only if the value is missing or null. */
  readonly present: string;
  /** True if the value is missing or null. */
  readonly missing: string;
  /** The expressions for `order by` and indexes, in this order. */
  readonly order: readonly string[];
}

/** The SQL of an engine: what differs between them, and the names of the tables of a storage. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** The names of the tables of this library. */
  readonly place: Place;
  /** The end of a `select` that locks its rows until the transaction ends. */
  readonly locks: Readonly<Record<NonNullable<Query["lock"]>, string>>;
  /** Locks the number of its one parameter until the transaction ends; absent for engines whose transactions run one after the other. */
  readonly lockNumber?: string | undefined;
  /** Whether the engine reads a chunk of rows from one JSON parameter without losing precision. */
  readonly bulk: boolean;
  placeholder(position: number): string;
  columnType(kind: ColumnKind): string;
  /** The expression of a column in conditions, orders and indexes. */
  compared(kind: ColumnKind, quoted: string): string;
  /** The cast after the placeholder of a value of this kind. */
  cast(kind: ColumnKind): string;
  /** A value of a row as the driver expects it; null if it is absent. */
  encode(kind: ColumnKind, value: unknown): unknown;
  /** Converts a stored value, never null, to the value of a row. */
  decode(kind: ColumnKind): (stored: unknown) => unknown;
  /** The parameter that a filter compares a column with; `undefined` if no value of the column can equal it. */
  comparable(kind: ColumnKind, value: Scalar, bindings: Bindings): string | undefined;
  /** The parameter that a filter compares a value inside JSON with. */
  comparableJson(value: string | number | bigint | boolean, bindings: Bindings): string;
  /** The condition "an expression of `order` has a value", written so that the engine searches an index with it. */
  valued(kind: ColumnKind, expression: string): string;
  /** The condition "the two differ"; null differs from every value. */
  distinct(left: string, right: string): string;
  /** The engine's own pattern match. Takes linear time only with at most one wildcard for any number of characters. */
  like(expression: string, parts: readonly LikePart[], bindings: Bindings): string;
  /** The position of the needle in a text, from 1; 0 if it does not occur. */
  position(expression: string, needle: string): string;
  /** A sub-select of the items of a bound JSON array, in the column `item`. */
  list(kind: "text" | "int", parameter: string): string;
  /** @param missing what rows that lack the value, or an object above it, have in its place */
  json(column: string, keys: readonly string[], missing?: readonly MissingKeys[]): JsonPlace;
  /** The condition "the object above these keys is there and lacks the last of them". */
  jsonLacks(column: string, keys: readonly string[]): string;
  /** The expression of a column with JSON; null where another program has stored a text that is not JSON. */
  validJson(column: string): string;
  jsonContains(column: string, keys: readonly string[], value: string | number | bigint | boolean, bindings: Bindings): string;
}

/** The dialects by name. */
export const dialects: Readonly<Record<SqlExecutor["dialect"], Dialect>> = { sqlite: sqliteDialect, postgres: postgresDialect };

/** The dialect of an engine for a storage whose tables are at a place of their own. */
export function dialectAt(name: SqlExecutor["dialect"], place: PlaceOptions): Dialect {
  return { ...dialects[name], place: placeOf(place) };
}
