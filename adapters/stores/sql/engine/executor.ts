import type { Isolation } from "../../../../src/ground/storage/isolation.js";
import type { Wakeups } from "../../../../src/ground/storage/wakeups.js";
import type { ReadBounds, StreamBounds } from "../query/readBounds.js";
import type { EngineName } from "./engines.js";
import type { SqlPresence } from "./presence.js";

/** One SQL statement with its bound values. */
export interface SqlStatement {
  /** With `?` for SQLite, `$1`, `$2` … for PostgreSQL. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether it writes. Statements that do not may run on another connection. */
  readonly writes: boolean;
  /** How many rows it returns at most; drivers have faster methods for none or one. */
  readonly returns: "none" | "one" | "many";
  /** Whether integers must be returned as `bigint`, because a column has 64 bits. PostgreSQL drivers return them as text, which is also accepted. */
  readonly bigints?: boolean | undefined;
  /** Whether the developer wrote it. */
  readonly isByDeveloper?: boolean | undefined;
  /** Whether its best plan depends on its values, so that the engine must know them when it plans. */
  readonly isPlannedByValues?: boolean | undefined;
  /** Whether it writes rows for several callers that wait for them, and gives up by itself where a row is locked. */
  readonly isGathered?: boolean | undefined;
  /** Whether a reading statement reads every row of a table, regardless of indexes. */
  readonly scans?: boolean | undefined;
}

export interface SqlResult {
  readonly rows: readonly SqlRow[];
  /** Rows that a write matched. */
  readonly affected: number;
  /** How long the rows were as the database sent them, where the executor knows. */
  readonly bytes?: number | undefined;
}

export type SqlRow = Readonly<Record<string, unknown>>;

/** `create`: missing tables, columns and indexes are created. `check`: if something is missing, that is an error, for roles that may not create anything. */
export type MigrateMode = "create" | "check";

export interface SqlTransactionOptions {
  readonly readOnly?: boolean | undefined;
  /** The least isolation; a stricter default of the database stays. */
  readonly isolation?: Isolation | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether its statements wait for the locks of other connections as long as those have them, as a migration does. */
  readonly waitsForLocks?: boolean | undefined;
  /** `run` waits for nothing but its statements, and may be called again: it may be committed together with other transactions. */
  readonly isBrief?: boolean | undefined;
}

/**
 * What the SQL stores need from a database connection. Kysely, Knex or Drizzle can implement it in about twenty lines.
 *
 * Throw errors as the driver throws them (or with its error as `cause`); the stores read their codes.
 */
export interface SqlExecutor {
  readonly dialect: EngineName;
  /** What all writes and transactions of the connection wait for in turn, for engines with one writer. Not available on a `tx`. */
  readonly queue?: object | undefined;
  /** The isolation of a `tx`. Without it, one of an engine with several writers counts as `committed`. */
  readonly isolation?: Isolation | undefined;
  /** @param bounds when to end a reading statement early; an executor that cannot do so may ignore them */
  query(statement: SqlStatement, bounds?: ReadBounds): Promise<SqlResult>;
  /** Runs `run` in one transaction: commits when it resolves, rolls back when it rejects. On a `tx`, uses a savepoint. */
  transaction<R>(run: (tx: SqlExecutor) => Promise<R>, options?: SqlTransactionOptions): Promise<R>;
  /**
   * Whether reads and writes of single rows that wait at the same time may be sent as one statement: all of them have the same rights, whatever the connection. Only for engines whose
   * statements are round trips. Not available on a `tx`.
   */
  readonly gathers?: boolean | undefined;
  /** Reads the rows of a statement in batches, from one snapshot. Without this method, all rows are read at once. */
  stream?(statement: SqlStatement, batchRows: number, bounds?: StreamBounds): AsyncIterable<readonly SqlRow[]>;
  /**
   * Opens a long read on one snapshot, for engines that run on the thread of the event loop. The caller must close it.
   *
   * @param isStream whether the read does not count towards the limit of concurrent scans
   */
  openScan?(bounds: ReadBounds, isStream?: boolean): Promise<SqlScan>;
  /** The lines of the query plan of a statement, as SQLite writes them. */
  plan?(statement: SqlStatement): Promise<readonly string[]>;
  /**
   * A value that is never the same after another commit, by any process on this database; for engines that can tell without delay. `undefined` while it is
   * unknown. Not available on a `tx`.
   */
  changeMark?(): string | undefined;
  ping?(): Promise<void>;
  /** Tells which processes on this database are alive. Without it, leases only end when they expire. Not available on a `tx`. */
  readonly presence?: SqlPresence | undefined;
  /** How processes on this database tell each other of new work. Not available on a `tx`. */
  readonly wakeups?: Wakeups | undefined;
  /** A connection for short statements that must not wait until others have ended. Without it they run on the executor itself. Not available on a `tx`. */
  readonly side?: Pick<SqlExecutor, "query"> | undefined;
  /** Closes what the executor itself opened. */
  close?(): Promise<void>;
}

/** A long read in slices. Between them it yields to the event loop and checks its bounds. */
export interface SqlScan {
  /** Whether writes wait until the scan is closed. */
  readonly isExclusive: boolean;
  /**
   * The rows of a statement, in slices.
   *
   * @throws {QueryTimeout} @throws the reason of the signal
   */
  rows(statement: SqlStatement): AsyncIterable<readonly SqlRow[]>;
  /** All rows of a short statement. */
  all(statement: SqlStatement): Promise<readonly SqlRow[]>;
  /** Yields to the event loop if the current slice took its time. */
  pauseIfOver(): Promise<void>;
  /** Starts the time budget again. */
  renew(): void;
  close(): void;
}
