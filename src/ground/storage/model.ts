import type { Row } from "./collection.js";
import type { TableOptions } from "./tableOptions.js";
import type { Digits } from "./values/decimal.js";
import type { Path, Scalar } from "./values/scalar.js";

/**
 * How a store stores a field.
 *
 * | kind | value in a row |
 * |---|---|
 * | text | string |
 * | int | safe integer |
 * | number | finite number |
 * | bigint | bigint, 64 bit signed |
 * | decimal | string of a decimal that is compared as a number: `scale` digits after the point, no leading zeros, no exponent, zero without a sign |
 * | boolean | boolean |
 * | datetime | Date, whole milliseconds |
 * | json | any JSON value (mostly objects and arrays); never a Date inside |
 */
export type ColumnKind = "text" | "int" | "number" | "bigint" | "decimal" | "boolean" | "datetime" | "json";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Text that some query or key compares case-insensitively: a SQL store keeps a shadow column `<name>__fold` for it. */
  readonly fold?: boolean | undefined;
  /** The name of its column in a table of this library, if the field has been renamed since. */
  readonly storedAs?: string | undefined;
  /** Whether every new row has a value of it. */
  readonly isRequired?: boolean | undefined;
  /** A reading of the schema's default, as a row holds it; `undefined` if there is none. Readings differ if a function makes them. */
  readonly default?: (() => unknown) | undefined;
  /** Its value in a row that was stored without it. @throws what the developer's function throws, and for a value that the schema refuses */
  readonly backfill?: ((row: Row) => unknown) | undefined;
  /** How many digits the values of a decimal have. */
  readonly digits?: Digits | undefined;
}

export interface UniqueKey {
  /** Column names. Rows in which one of them is null or missing never conflict. Unique within a tenant. */
  readonly fields: readonly string[];
  /** The name of its index in a table of the developer, if another index has the same columns. */
  readonly index?: string | undefined;
  /** Compare NFC-normalised and lower-cased (e-mail addresses). Without it text is compared NFC-normalised. */
  readonly fold?: boolean | undefined;
}

/** A member of an object of a JSON column that rows may lack: they are filtered and sorted as if they had its value. */
export interface MemberDefault {
  readonly path: Path;
  /** At most one of them holds for a row. */
  readonly cases: readonly MissingMember[];
}

/** The value of a path in rows whose object lacks a member. A member that is null is not missing. */
export interface MissingMember {
  /** The path, or one above it. The object that it is a member of is there. */
  readonly missing: Path;
  /** JSON, not null. */
  readonly value: unknown;
}

/** What a store must know about a collection: its name, columns, keys and indexes. Derived from the schema, never from input. */
export interface CollectionModel {
  readonly name: string;
  /** Name of the id field, which is also a column, of text, int or bigint. */
  readonly id: string;
  /**
   * The fields that a composite id is made of, in order. `id` is then a text column `_id` with their text (`joinId`), which every inserted row has. A store reports a taken
   * id as a conflict of these fields.
   */
  readonly idParts?: readonly string[] | undefined;
  /** Whether the table has no unique key. `id` is then a member `_id` of rows that are read, a text that tells them apart until the table is written. */
  readonly isKeyless?: boolean | undefined;
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
  /** Members with a default, which rows that were stored before it lack. */
  readonly memberDefaults?: readonly MemberDefault[] | undefined;
  /** Members of objects in JSON columns that every new row has, without a default. */
  readonly requiredMembers?: readonly Path[] | undefined;
  /** Fields that a hook or an effect must have filled when a row is inserted. */
  readonly madeInCode?: readonly string[] | undefined;
  /** Whether the committed writes of its rows are kept for a while, in the `changes` of the storage. */
  readonly keepsChanges?: boolean | undefined;
  /** The table of the developer that holds the rows. Only a store with `mapsTables` has such collections. */
  readonly table?: MappedTable | undefined;
}

/** An existing table, and what must be known of the fields that its columns hold. */
export interface MappedTable {
  readonly options: TableOptions;
  readonly fields: readonly MappedField[];
  /** What clients may do with its rows. */
  readonly operations: ReadonlySet<string>;
  /** Fields of foreign keys whose rows this library removes itself, with their events, when the row that they name is removed. */
  readonly cascades: readonly string[];
}

/** Values that are texts in JSON, and something else in columns. */
export interface JsonForm {
  /** The value of a column; `undefined` for an item that no column can contain. */
  read(item: unknown): Scalar | undefined;
  write(value: unknown): unknown;
}

/** A field whose values are in a column, or, of an object, in a column for each of its members. */
export interface MappedField {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The kind of the values in the schema, such as `uuid` or `date`. */
  readonly type: string;
  /** How many digits the values of a decimal have. */
  readonly digits?: Digits | undefined;
  readonly isNullable: boolean;
  /** Whether a row may be without it. */
  readonly isOptional: boolean;
  /** Whether the schema fills it if a write is without it. */
  readonly hasDefault: boolean;
  /** The most UTF-16 units of a text. */
  readonly maxLength?: number | undefined;
  /** Whether clients may not write it. */
  readonly isReadOnly?: boolean | undefined;
  /** Who makes its values: the database, the server, or clients. */
  readonly madeBy: "database" | "server" | "client";
  /** Allowed texts of an enum. */
  readonly labels?: readonly string[] | undefined;
  /** The members of an object that has no others. */
  readonly members?: readonly MappedField[] | undefined;
  /** Of JSON: what a stored value has in a form that no condition finds, as another program may write it; `undefined` for nothing. */
  readonly otherForm?: ((value: unknown) => string | undefined) | undefined;
  /** How its values stand in JSON, where they have another form than in a column. */
  readonly inJson?: JsonForm | undefined;
  /** What each element of an array is; it has no name. */
  readonly element?: MappedField | undefined;
}
