import type { UuidLetters } from "./uuids.js";

/** What the database says about a table or view. Members that may be `undefined` are those that an engine does not tell. */
export interface Catalog {
  /** What a message calls it: its name, with the schema if the mapping names one. */
  readonly name: string;
  /** The same for every mapping of this table, as `references` of a foreign key names it. */
  readonly identity?: string | undefined;
  readonly kind: "table" | "view" | "partitioned" | "foreign";
  /** Whether each row has a place of its own: a row of a view that is computed has none. */
  readonly hasPlaces: boolean;
  /** PostgreSQL: whether rows are in several tables, as those of partitions are, so that a place is one in its table only. */
  readonly isSpread?: boolean | undefined;
  /** Whether rows can be inserted, updated and deleted, by rules or triggers too. */
  readonly isUpdatable?: boolean | undefined;
  readonly columns: ReadonlyMap<string, CatalogColumn>;
  readonly indexes: readonly CatalogIndex[];
  readonly foreignKeys: readonly CatalogForeignKey[];
  /** The names of all its constraints, and of those of the domains of its columns. */
  readonly constraints?: ReadonlySet<string> | undefined;
  readonly triggers?: CatalogTriggers | undefined;
  /** Whether triggers change rows after they are written, so that a row must be read again. */
  readonly hasAfterTriggers: boolean;
  /** Whether constraints of the table, or foreign keys that name its rows, are checked at the commit only. */
  readonly isDeferred: boolean;
  /** SQLite: deferred foreign keys of other tables that name rows of this one, and their columns. */
  readonly referencedBy?: readonly CatalogReference[] | undefined;
  /** SQLite: whether the table has no row id. */
  readonly isWithoutRowid: boolean;
}

/** Which triggers of the developer are enabled. */
export interface CatalogTriggers {
  /** Before each inserted row or instead of it, so that they can fill its columns. */
  readonly fillsInserts: boolean;
  readonly onInsert: boolean;
  readonly onUpdate: boolean;
}

/** A column as the database declares it. */
export interface CatalogColumn {
  readonly name: string;
  /** Its place among the columns of the table, from 1. Of PostgreSQL it stays when a column before it is dropped. */
  readonly position: number;
  /** The base type in the spelling of the engine: `int4`, `varchar`, `timestamptz`; of a domain the type below it. */
  readonly type: string;
  /** The base type as a cast names it, such as `"app"."status"`. A cast to a domain would check its conditions, and fail in a filter. */
  readonly cast: string;
  /** Whether it is an array of `type`. */
  readonly isArray: boolean;
  /** The type of the elements of an array as a cast names it; of a domain the type below it. */
  readonly elementCast?: string | undefined;
  /** The labels of an enum, in its order. */
  readonly labels: readonly string[] | undefined;
  /** The most characters. */
  readonly maxLength: number | undefined;
  /** Digits of a number in total and after the point, or of a timestamp after the point of its seconds. */
  readonly precision: number | undefined;
  readonly scale: number | undefined;
  readonly isNullable: boolean;
  /** SQLite: whether it is a part of the primary key, which may be null there: a row with such a key is left out. */
  readonly isPrimary?: boolean | undefined;
  readonly hasDefault: boolean;
  /** The expression of the default. */
  readonly defaultValue?: string | undefined;
  /** Who computes its values: `always` refuses written ones. */
  readonly generated: "no" | "by-default" | "always";
  /** Whether the database numbers its rows: an identity of PostgreSQL, the row id of SQLite. */
  readonly isNumbered: boolean;
  /** Whether equal means the same text. */
  readonly isDeterministic: boolean;
  /** Whether its collation folds the letters of ASCII only. */
  readonly foldsAscii?: boolean | undefined;
  /** SQLite: how texts compare, if not by their code points: `NOCASE`, `RTRIM`. */
  readonly collation?: string | undefined;
  /** The letters of the UUIDs in a column of texts, if a field of UUIDs has it and they are not small ones. */
  readonly uuidLetters?: UuidLetters | undefined;
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
  readonly references?: { readonly table: string; readonly columns: readonly string[] } | undefined;
  /** What a delete of the referenced row does. */
  readonly onDelete?: "refuse" | "cascade" | "set-null" | "set-default" | undefined;
  /** SQLite: whether it is checked at the commit only. */
  readonly isDeferred?: boolean | undefined;
}

/** A foreign key of another table. */
export interface CatalogReference {
  /** The quoted name of the table that has it. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The columns that it names, in the same order. */
  readonly references: readonly string[];
}

/** Whether its rows are made when they are read: by a query of its own, or by another server. To read a few of them may take as long as to read all, or fail. */
export function isComputed({ kind }: Catalog): boolean {
  return kind === "view" || kind === "foreign";
}
