/**
 * A column, by its name or with the form in which SQLite holds instants: numbers of milliseconds or seconds since 1970, or `mixed`, where a number is one of milliseconds and a
 * text is ISO 8601. `write` is the form in which a mixed column is written.
 *
 * @example
 * createdAt: { name: "createdAt", as: "mixed", write: "epoch-ms" }
 */
export type ColumnName =
  | string
  | { readonly name: string; readonly as: "epoch-ms" | "epoch-s" }
  | { readonly name: string; readonly as: "mixed"; readonly write: "epoch-ms" | "text" };

/** Columns by the fields of the schema. An object is one column with JSON, or has a column for each of its members. */
export interface ColumnNames {
  readonly [field: string]: ColumnName | { readonly json: string } | ColumnNames;
}

/**
 * How a store recognises that a row has changed since it was read.
 *
 * - `hash`: by the values of all mapped columns.
 * - `xmin`: by PostgreSQL's own columns `xmin` and `ctid`; not for views and partitioned tables.
 * - `{ column }`: by an integer or a `timestamp(6)` that each write changes, in every program that writes the table. `by: "trigger"` leaves that to the database.
 */
export type TableVersion = "hash" | "xmin" | { readonly column: string; readonly by?: "restwright" | "trigger" | undefined };

/** What a client is told if a constraint of the database refuses a write. */
export interface ConstraintProblem {
  /** The field at fault. */
  readonly field?: string | undefined;
  readonly detail: string;
}

/** What a client is told if a trigger raises an error with some SQLSTATE. */
export interface RaisedProblem<Code extends string = string> {
  /** 400 to 499. */
  readonly status: number;
  /** As in `problem("ORDER_SHIPPED", …)`. */
  readonly code: Code;
}

/** How a table keeps deleted rows. */
export interface SoftDelete {
  /** A timestamp, null in rows that are not deleted, or a boolean. */
  readonly column: string;
  /** SQLite: what an integer is. */
  readonly as?: "boolean" | "epoch-ms" | "epoch-s" | undefined;
  /** Whether `POST /x/{id}/restore` undoes a deletion. */
  readonly restore?: boolean | undefined;
}

/**
 * An existing table or view as the rows of a collection. Nothing is added to it, and no statement of this library changes its definition.
 *
 * @example
 * table: { name: "users", managed: false, casing: "snake_case", version: "hash", tenant: "shared" }
 */
export interface TableOptions<Raised extends string = string> {
  /** Always quoted, and never split at dots. */
  readonly name: string | { readonly schema: string; readonly name: string };
  /** The table is not created, altered or indexed. */
  readonly managed: false;
  /** How the names of columns are made of those of fields that `columns` does not name. Default: they are the same. */
  readonly casing?: "snake_case" | undefined;
  /** Columns by the fields of the schema, where their names differ: `{ createdAt: "placed_at" }`. */
  readonly columns?: ColumnNames | undefined;
  /** Required unless the table is read-only. */
  readonly version?: TableVersion | undefined;
  /** The column with the instant of the last write, for Last-Modified. */
  readonly updatedAt?: ColumnName | undefined;
  /** Whose rows they are: those of the tenant in a column, or the same for all tenants. */
  readonly tenant: "shared" | { readonly column: string };
  /** A DELETE sets this column, a timestamp or a boolean, and the row is missing from then on. */
  readonly softDelete?: SoftDelete | undefined;
  /** Whether there are no writes, for views and reports (false). */
  readonly readOnly?: boolean | undefined;
  /**
   * The time zone of `timestamp without time zone`, and of texts in SQLite that name none: there `UTC` or an offset such as `+02:00`, and texts are then written without a
   * zone. Default: UTC, and texts in SQLite are written with a `Z`.
   */
  readonly zone?: string | undefined;
  /** What a value that the field cannot hold, such as `infinity`, is read as. Default: `fail`, a fault that is logged. */
  readonly unreadable?: "fail" | "null" | undefined;
  /** By the names of constraints of the database. */
  readonly constraints?: Readonly<Record<string, ConstraintProblem>> | undefined;
  /** By SQLSTATE. */
  readonly raised?: Readonly<Record<string, RaisedProblem<Raised>>> | undefined;
  /** Whether the message that a trigger raises is shown to clients (false). */
  readonly showRaised?: boolean | undefined;
  /** Columns with the folded text of fields, for case-insensitive search by an index. */
  readonly fold?: Readonly<Record<string, string>> | undefined;
}
