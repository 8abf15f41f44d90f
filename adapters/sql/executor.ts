/** One SQL statement with its bound values. */
export interface SqlStatement {
  /** With `?` for SQLite, `$1`, `$2` … for PostgreSQL. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether it changes rows; statements that do not may go to another connection. */
  readonly writes: boolean;
  /** How many rows it answers at most; a driver may take a shorter way for none or one. */
  readonly returns: "none" | "one" | "many";
  /** Integers have to come back as `bigint`: a column holds 64 bits. PostgreSQL's drivers give text for those, which will do. */
  readonly bigints?: boolean | undefined;
}

export interface SqlResult {
  readonly rows: readonly SqlRow[];
  /** Rows that a write matched. */
  readonly affected: number;
}

export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlTransactionOptions {
  readonly readOnly?: boolean | undefined;
  readonly isolation?: "committed" | "snapshot" | "serializable" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What the SQL stores need of a database connection: small enough to be bound to Kysely, Knex or Drizzle in about twenty lines.
 *
 * Errors are passed on as the driver throws them (or with its error as `cause`); the stores tell them apart by their codes.
 */
export interface SqlExecutor {
  readonly dialect: "sqlite" | "postgres";
  query(statement: SqlStatement): Promise<SqlResult>;
  /** Runs `run` in one transaction: committed when it resolves, rolled back when it rejects. On a `tx` it is a savepoint. */
  transaction<R>(run: (tx: SqlExecutor) => Promise<R>, options?: SqlTransactionOptions): Promise<R>;
  /** The rows of a reading statement in batches, from one snapshot. Without it the rows are read at once. */
  stream?(statement: SqlStatement, batchRows: number): AsyncIterable<readonly SqlRow[]>;
  ping?(): Promise<void>;
  /** Ends what the executor opened itself. */
  close?(): Promise<void>;
}
