import type { ColumnKind } from "../../../../src/ground/storage/model.js";

/** Rows that a statement receives as one JSON parameter: an array of arrays of texts and integers. Rows of other values have parameters of their own. */
export interface RowLists {
  readonly form: "lists";
  /** A source of a `from` with one row for each array. */
  source(parameter: string): string;
  /** The expression of a member of an array. */
  member(index: number): string;
  /** The expression of the position of an array. */
  readonly order: string;
}

/** Rows of any values that a statement receives as one JSON parameter: an array of objects, without a loss of precision. */
export interface RowRecords {
  readonly form: "records";
  /** A source of a `from`, named `given`, with one row for each object. @param columns names with types, of members of the objects */
  source(parameter: string, columns: readonly string[]): string;
  /** The same with the position as the column `ord`, for objects that do not have it. */
  numbered(parameter: string, columns: readonly string[], names: readonly string[]): string;
  /** A parameter of its own, for a value that all rows share. @param type of its column */
  shared(parameter: string, kind: ColumnKind, type: string): string;
  /** A text with JSON as the value of a column. */
  json(text: string): string;
  /** A text in hexadecimal digits as bytes. */
  bytes(text: string): string;
  /** The end of a `select` that locks its rows for an update that leaves their keys, and passes over those that others have locked. */
  readonly lockFree: string;
  /** A source of one row: once it is read, the statement fails if it waits for a lock for longer than a moment. */
  readonly brief: string;
}

export type Rows = RowLists | RowRecords;

/** A sequence of numbers for the ids of a table. Its name has two parameters: the quoted name of the table, and the name of its id. */
export interface Sequence {
  /** The expression of the next number. */
  next(table: string, id: string): string;
  /** The statement that takes the next numbers, as `id`; its third parameter is how many. */
  readonly draw: string;
  /** The statement that moves the sequence past a number, an expression. */
  advance(reached: string): string;
  /** The third parameter of `advance`. */
  readonly reached: string;
}
