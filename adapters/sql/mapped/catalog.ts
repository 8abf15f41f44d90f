/** What the database says about a table or view. */
export interface Catalog {
  /** What a message calls it: its name, with the schema if the mapping names one. */
  readonly name: string;
  readonly kind: "table" | "view" | "partitioned" | "foreign";
  readonly columns: ReadonlyMap<string, CatalogColumn>;
  readonly indexes: readonly CatalogIndex[];
  readonly foreignKeys: readonly CatalogForeignKey[];
  /** Whether triggers change rows after they are written, so that a row must be read again. */
  readonly hasAfterTriggers: boolean;
  /** SQLite: whether the table has no row id. */
  readonly isWithoutRowid: boolean;
}

/** A column as the database declares it. */
export interface CatalogColumn {
  readonly name: string;
  /** The base type in the spelling of the engine: `int4`, `varchar`, `timestamptz`; of a domain the type below it. */
  readonly type: string;
  /** The type as a cast names it, such as `"app"."status"`. */
  readonly cast: string;
  /** Whether it is an array of `type`. */
  readonly isArray: boolean;
  /** The labels of an enum, in its order. */
  readonly labels: readonly string[] | undefined;
  /** The most characters. */
  readonly maxLength: number | undefined;
  /** Digits of a number in total and after the point, or of a timestamp after the point of its seconds. */
  readonly precision: number | undefined;
  readonly scale: number | undefined;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  /** Who computes its values: `always` refuses written ones. */
  readonly generated: "no" | "by-default" | "always";
  /** Whether equal means the same text. */
  readonly isDeterministic: boolean;
  /** Whether its collation folds the letters of ASCII only. */
  readonly foldsAscii?: boolean | undefined;
}

export interface CatalogIndex {
  readonly name: string;
  /** In the order of the index; `undefined` for an expression. */
  readonly columns: readonly (string | undefined)[];
  readonly isUnique: boolean;
  readonly isPrimary: boolean;
  /** The condition of a partial index. */
  readonly predicate: string | undefined;
  readonly isDeferrable: boolean;
}

export interface CatalogForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
}
