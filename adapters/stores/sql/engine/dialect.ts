import type { Capabilities } from "../../../../src/ground/storage/collection.js";
import type { LikePart } from "../../../../src/ground/storage/filter.js";
import type { ColumnKind } from "../../../../src/ground/storage/model.js";
import type { Digits } from "../../../../src/ground/storage/values/decimal.js";
import type { Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { MappedDialect } from "../mapped/mappedEngine.js";
import type { MissingKeys } from "../schema/missing.js";
import type { Place } from "../schema/place.js";
import type { Bindings } from "./bindings.js";
import type { ChangesDialect } from "./changesDialect.js";
import type { Locks } from "./locks.js";
import type { Planner } from "./planner.js";
import type { Rows, Sequence } from "./rows.js";
import type { SchemaDialect } from "./schemaDialect.js";

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

/** How an engine stores bytes. */
export interface BytesDialect {
  readonly type: string;
  /** A bound value as bytes; drivers may bind empty bytes as null. */
  bound(parameter: string): string;
  /** A part of a bound value. @param start counted from 1 */
  part(parameter: string, start: string, length: string): string;
  /** A column as a value that all drivers read in the same way. */
  read(column: string): string;
}

/** How the text of a statement that the developer wrote is read. */
export interface Syntax {
  /** White space, empty statements and comments of one line, at the beginning of a text. */
  readonly blanks: RegExp;
  /** Whether a comment of several lines may contain others. */
  readonly nestsComments: boolean;
  /** Whether only the first of several statements would run, without an error. */
  readonly ignoresLaterStatements: boolean;
}

/**
 * The SQL of an engine: what differs between them, and the names of the tables of a storage. The engine is asked for these members and never by its name, so that all of an
 * engine is in its folder.
 */
export interface Dialect {
  /** The default name of its stores, in messages and in health. */
  readonly name: string;
  /** How its users write its name, for messages. */
  readonly title: string;
  /** The names of the tables of this library. */
  readonly place: Place;
  /** Whether processes on several machines may use one database. */
  readonly isShared: boolean;
  /** Whether a database has schemas with tables of their own. */
  readonly hasSchemas: boolean;
  /** The letters that the engine folds in columns of the developer. */
  readonly caseFold: Capabilities["caseFold"];
  /** Whether a failed statement ends its transaction, so that one that may fail needs a savepoint. */
  readonly failureEndsTransaction: boolean;
  /** Whether `with` may contain statements that write, so that one round trip looks and then writes. */
  readonly writesInWith: boolean;
  /** Whether each statement is a round trip to a server, so that one statement for a page and its total, or for many rows, is faster. */
  readonly hasRoundTrips: boolean;
  /** What follows `insert` and `update` so that a refused one changes nothing, whatever the constraints of the table say about conflicts. */
  readonly orAbort: string;
  /** The expression of the current time in whole milliseconds since the epoch: the time of the statement, not of its transaction. */
  readonly now: string;
  readonly bytes: BytesDialect;
  readonly locks: Locks;
  readonly planner: Planner;
  readonly rows: Rows;
  /** How the ids that the store assigns are numbered, for engines that do not continue after a larger id by themselves. */
  readonly sequence?: Sequence | undefined;
  readonly schema: SchemaDialect;
  /** How the committed writes of tables are kept. */
  readonly changes: ChangesDialect;
  readonly syntax: Syntax;
  /** How tables of the developer are read; absent for engines that have none. */
  readonly mapped?: MappedDialect | undefined;
  placeholder(position: number): string;
  /** @param digits of a decimal, for engines that keep them in the type */
  columnType(kind: ColumnKind, digits?: Digits): string;
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
  /** The condition "the column has one of these values", with one parameter for any number of them; for engines with arrays. */
  among?(kind: ColumnKind, expression: string, values: readonly (string | number | bigint)[], bindings: Bindings): string;
  /** The item at a position, from 0, of a text with a JSON array. */
  jsonItem(expression: string, index: number): string;
  /** @param missing what rows that lack the value, or an object above it, have in its place */
  json(column: string, keys: readonly string[], missing?: readonly MissingKeys[]): JsonPlace;
  /** The condition "the object above these keys is there and lacks the last of them". */
  jsonLacks(column: string, keys: readonly string[]): string;
  /** The expression of a column with JSON; null where another program has stored a text that is not JSON. */
  validJson(column: string): string;
  jsonContains(column: string, keys: readonly string[], value: string | number | bigint | boolean, bindings: Bindings): string;
}
