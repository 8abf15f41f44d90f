import { having, oneOf, optionsCheck, passing, strict, text, whole } from "../../../../../src/ground/options/index.js";
import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import type { ReadBounds, StreamBounds } from "../../query/readBounds.js";
import { isPrefix, isSchema, type PlaceOptions, prefixRule, schemaRule } from "../../schema/place.js";
import type { MigrateMode, SqlExecutor, SqlResult, SqlRow, SqlStatement, SqlTransactionOptions } from "../executor.js";
import { KeptConnection } from "./beside/keptConnection.js";
import { PostgresPresence } from "./beside/postgresPresence.js";
import { PostgresSide } from "./beside/postgresSide.js";
import { PostgresWakeups } from "./beside/postgresWakeups.js";
import { defaultPoolSize, openPool, type PostgresConnection, type PostgresPool, sizeOf, survivesBreaks } from "./postgresPool.js";
import { readWithin } from "./postgresRead.js";
import { runSingle } from "./postgresSingle.js";
import { beginTransaction } from "./postgresTransaction.js";
import { StatementNames } from "./statementNames.js";
import { mostStreams, streamTurnsOf } from "./streamTurns.js";

/** A pool of `pg` that the caller owns, or the options to open one. */
export type PostgresOptions = (
  | {
      /** A pool of `pg` that the caller made, and ends. Either this or `connectionString`. */
      readonly pool: PostgresPool;
    }
  | PostgresConnection
) &
  PlaceOptions & {
    /** Whether missing tables, columns and indexes are created at the start (`create`, the default), or are an error that names them (`check`). */
    readonly migrate?: MigrateMode | undefined;
    /**
     * The most connections that exports hold at once, less than the pool has (default: a third of them, and at least one). Further exports wait for their turn, and are refused if it
     * does not come.
     */
    readonly maxStreams?: number | undefined;
  };

/** All options. */
type AnyOptions = PostgresConnection & Pick<PostgresOptions, "migrate" | "maxStreams"> & PlaceOptions & { readonly pool: PostgresPool };

const check = /* @__PURE__ */ optionsCheck("postgresStorage", () =>
  strict<AnyOptions>({
    schema: passing(schemaRule, isSchema),
    prefix: passing(prefixRule, isPrefix),
    migrate: oneOf("create", "check"),
    connectionString: text('an address, such as "postgres://localhost/shop"'),
    poolSize: whole(1),
    connectTimeoutMs: whole(0),
    pool: having("a Pool of pg", "connect", "query"),
    maxStreams: whole(1),
  })
    .refine(
      ({ pool, connectionString }) => (pool === undefined) !== (connectionString === undefined),
      'given either "connectionString" or a "pool" of pg',
    )
    .refine((options) => leavesConnections(options as Partial<AnyOptions>), 'given a "maxStreams" that is less than the connections of the pool'),
);

/** Exports must leave a connection to other requests, unless there is only one. */
function leavesConnections({ pool, poolSize = defaultPoolSize, maxStreams = 1 }: Partial<AnyOptions>): boolean {
  return maxStreams === 1 || maxStreams < (pool === undefined ? poolSize : sizeOf(pool));
}

/** Runs statements on a pool of `pg`. `close` does not close a pool that the caller passed in. */
export function postgresExecutor(options: PostgresOptions): SqlExecutor {
  check(options);
  return new PostgresExecutor(hasPool(options) ? async () => options.pool : () => openPool(options), !hasPool(options), options.maxStreams);
}

function hasPool(options: PostgresOptions): options is { readonly pool: PostgresPool } {
  return "pool" in options && options.pool !== undefined;
}

class PostgresExecutor implements SqlExecutor {
  readonly dialect = "postgres";
  readonly #open: () => Promise<PostgresPool>;
  readonly #names = new StatementNames();
  readonly #owned: boolean;
  readonly #maxStreams: number | undefined;
  /** A pool of the developer may set a role for each request. */
  readonly gathers: boolean;
  readonly #connection = new KeptConnection(() => this.#connected());
  // Before the wake-ups: a connection whose lock is not seen is given up, and must not listen by then.
  readonly presence: PostgresPresence = new PostgresPresence(
    () => this.#connected(),
    this.#connection,
    () => this.wakeups.missed(),
  );
  readonly wakeups = new PostgresWakeups(() => this.#connected(), this.#connection);
  readonly side = new PostgresSide(() => this.#connected());
  #pool: Promise<PostgresPool> | undefined;
  #closing: Promise<void> | undefined;

  constructor(open: () => Promise<PostgresPool>, owned: boolean, maxStreams: number | undefined) {
    this.#open = open;
    this.#owned = owned;
    this.gathers = owned;
    this.#maxStreams = maxStreams;
  }

  async query(statement: SqlStatement, bounds?: ReadBounds): Promise<SqlResult> {
    const pool = await this.#connected();
    if (bounds !== undefined && !statement.writes) return readWithin(pool, this.#names, statement, bounds);
    return runSingle(pool, this.#names, statement);
  }

  async transaction<R>(run: (tx: SqlExecutor) => Promise<R>, options: SqlTransactionOptions = {}): Promise<R> {
    const { tx, commit, rollBack } = await beginTransaction(await this.#connected(), this.#names, options);
    let result: R;
    try {
      result = await tx.bracket(run);
    } catch (error) {
      await rollBack();
      throw error;
    }
    await commit();
    return result;
  }

  /**
   * Reads with a cursor in its own transaction, which ends when the consumer stops, and before it takes the last rows: a small table holds no connection for a slow client.
   *
   * @throws {Unavailable} if other streams hold the connections that streams may have
   */
  async *stream(statement: SqlStatement, batchRows: number, bounds: StreamBounds = {}): AsyncGenerator<readonly SqlRow[], void, void> {
    const pool = await this.#connected();
    const end = await streamTurnsOf(pool).begin(mostStreams(pool, this.#maxStreams), bounds);
    let last: readonly SqlRow[] = [];
    try {
      const { tx, rollBack } = await beginTransaction(pool, this.#names, { isolation: "snapshot", readOnly: true });
      try {
        for await (const rows of tx.stream(statement, batchRows, bounds)) {
          if (rows.length < batchRows) last = rows;
          else yield rows;
        }
      } finally {
        await rollBack();
      }
    } finally {
      end();
    }
    if (last.length > 0) yield last;
  }

  async ping(): Promise<void> {
    await this.query({ text: "select 1", values: [], writes: false, returns: "one" });
  }

  async close(): Promise<void> {
    this.#closing ??= Promise.all([this.presence.end(), this.side.end()]).then(() => this.#end());
    return this.#closing;
  }

  async #connected(): Promise<PostgresPool> {
    if (this.#closing !== undefined) throw new Unavailable("The PostgreSQL store is closed.", { wroteNothing: true });
    this.#pool ??= this.#open().then(survivesBreaks);
    return this.#pool;
  }

  async #end(): Promise<void> {
    if (!this.#owned || this.#pool === undefined) return;
    const pool = await this.#pool;
    await pool.end();
  }
}
