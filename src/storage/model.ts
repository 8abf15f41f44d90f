import type { Path } from "./scalar.js";

/**
 * How a store keeps a field.
 *
 * | kind | value in a row |
 * |---|---|
 * | text | string |
 * | int | safe integer |
 * | number | finite number |
 * | bigint | bigint, 64 bit signed |
 * | boolean | boolean |
 * | datetime | Date, whole milliseconds |
 * | json | any JSON value (mostly objects and arrays); never a Date inside |
 */
export type ColumnKind = "text" | "int" | "number" | "bigint" | "boolean" | "datetime" | "json";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Text that is compared case-insensitively somewhere: a SQL store keeps a shadow column `<name>__fold` beside it. */
  readonly fold?: boolean | undefined;
}

export interface UniqueKey {
  /** Column names. Rows in which one of them is null or missing never collide. Unique within a tenant. */
  readonly fields: readonly string[];
  /** Compare NFC-normalised and lower-cased (e-mail addresses). Without it text is compared NFC-normalised. */
  readonly fold?: boolean | undefined;
}

/** What a store must know of a collection: its name, columns, keys and indexes. Comes from the schema, never from input. */
export interface CollectionModel {
  readonly name: string;
  /** Name of the id field; it stands among the columns as text, int or bigint. */
  readonly id: string;
  /** `store`: the store numbers inserted rows that carry no id (1, 2, 3 …, never reusing one). `caller`: every inserted row carries its id. */
  readonly idFrom: "store" | "caller";
  readonly columns: readonly Column[];
  readonly unique: readonly UniqueKey[];
  /** Columns or paths worth an index: filtered and sorted fields. */
  readonly indexes: readonly (readonly Path[])[];
  /** Fields that the `search` operator looks into. */
  readonly searchable: readonly Path[];
  /** Text inside JSON that is compared case-insensitively somewhere, as `fold` says it of a column. */
  readonly folded?: readonly Path[] | undefined;
}
