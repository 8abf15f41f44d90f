import type { Path } from "./scalar.js";

/**
 * How a store stores a field.
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
  /** Text that some query or key compares case-insensitively: a SQL store keeps a shadow column `<name>__fold` for it. */
  readonly fold?: boolean | undefined;
}

export interface UniqueKey {
  /** Column names. Rows in which one of them is null or missing never conflict. Unique within a tenant. */
  readonly fields: readonly string[];
  /** Compare NFC-normalised and lower-cased (e-mail addresses). Without it text is compared NFC-normalised. */
  readonly fold?: boolean | undefined;
}

/** What a store must know about a collection: its name, columns, keys and indexes. Derived from the schema, never from input. */
export interface CollectionModel {
  readonly name: string;
  /** Name of the id field, which is also a column, of text, int or bigint. */
  readonly id: string;
  /** `store`: the store assigns ids to inserted rows without one (1, 2, 3 …, never reusing one). `caller`: every inserted row has its id. */
  readonly idFrom: "store" | "caller";
  readonly columns: readonly Column[];
  readonly unique: readonly UniqueKey[];
  /** Columns or paths that should have an index: filtered and sorted fields. */
  readonly indexes: readonly (readonly Path[])[];
  /** Fields that the `search` operator searches. */
  readonly searchable: readonly Path[];
  /** Text inside JSON that is compared case-insensitively, like `fold` of a column. */
  readonly folded?: readonly Path[] | undefined;
}
