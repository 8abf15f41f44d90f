import type { Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";

/** How values of a field are in a column of some type. Every column is read as text of one form, and every parameter is cast to the type of its column. */
export interface ColumnType {
  /** The expression of the column in conditions and orders. */
  place(column: string): string;
  /** The expression of the canonical text of the column. */
  read(column: string): string;
  /** The expression of a bound value, of the type of the column. */
  write(parameter: string): string;
  /** The expression of a bound value that `place` is compared with, if it is another. */
  compare?(parameter: string): string;
  /** The expression of the column as text in the order of code points, if its own type or collation compares otherwise. */
  text?(column: string): string;
  /** The expression of the column whose code points are in its order, if its collation compares otherwise. */
  sortKey?(column: string): string;
  /** The condition "the column has a value", if an engine needs another form to search an index. */
  valued?(column: string): string;
  /** The condition "the column has a value", if it may hold one that is read as null: JSON has a null of its own. */
  present?(column: string): string;
  /** The expression of the current instant in the form of the column. */
  readonly now?: string | undefined;
  /** The canonical text, never null, as the value of a row. @throws {Unreadable} if no value of the field has this text */
  decode(stored: unknown): unknown;
  /** A value of a row, never null, as a parameter. @throws {Unfit} if the column cannot contain it */
  encode(value: unknown): unknown;
  /** Whether the column can contain the value: engines refuse to compare it with any other. */
  accepts(value: Scalar): boolean;
  /** The condition "the field can hold the value of the column", if the column can hold others, such as `infinity`. */
  readable?(column: string): string;
  /**
   * The condition "the array has an element with this value".
   *
   * @param value as JSON has it
   */
  contains?(column: string, value: Scalar, bindings: Bindings): string;
  /** The expression of a written array in which the elements that are sent back as they were shown are those of the column. */
  kept?(column: string, written: string): string;
  /** The condition "the field cannot hold the value of the column", if no filter or order depends on it. */
  unreadable?(column: string): string;
  /** The condition "the column already shows this value", if it can hold several values that are shown alike: then a write of what was shown leaves it as it is. */
  same?(column: string, written: () => string, value: unknown): string | undefined;
  /** The expression that `place` is compared with for a value that the column cannot contain, such as a fraction for integers; `undefined` if there is none. */
  beyond?(value: Scalar, bindings: Bindings): string | undefined;
  /** How it is compared with a column of another table, if its texts are not those of `read`: with one of the same group as it is, with others by this expression. */
  readonly joinedAs?: { readonly group: string | undefined; text(column: string): string } | undefined;
  /** Whether the column distinguishes instants within a millisecond. */
  readonly isFine?: boolean | undefined;
}

/** A value does not fit its column. */
export class Unfit extends Error {
  readonly rule: "too-long" | "range" | "check";
  readonly allowed: string | undefined;

  constructor(rule: Unfit["rule"], allowed?: string) {
    super(`The value does not fit its column: ${rule}.`);
    this.rule = rule;
    this.allowed = allowed;
  }
}

/** A stored value that its field cannot hold. */
export class Unreadable extends Error {
  /** The field, once it is known. */
  field: string | undefined;
}
