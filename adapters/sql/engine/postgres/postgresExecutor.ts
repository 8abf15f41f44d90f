import { having, oneOf, optionsCheck, passing, strict, text, whole } from "../../../../src/options/index.js";
import { Unavailable } from "../../../../src/storage/errors.js";
import type { ReadBounds } from "../../query/readBounds.js";
import { isPrefix, isSchema, type PlaceOptions, prefixRule, schemaRule } from "../../schema/place.js";
import type { MigrateMode, SqlExecutor, SqlResult, SqlRow, SqlStatement, SqlTransactionOptions } from "../executor.js";
import { openPool, type PostgresConnection, type PostgresPool, survivesBreaks } from "./postgresPool.js";
import { PostgresPresence } from "./postgresPresence.js";
import { readWithin } from "./postgresRead.js";
import { PostgresSide } from "./postgresSide.js";
import { runSingle } from "./postgresSingle.js";
import { beginTransaction } from "./postgresTransaction.js";
import { StatementNames } from "./statementNames.js";

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
  };

const check = /* @__PURE__ */ optionsCheck("postgresStorage", () =>
  strict<PostgresConnection & PlaceOptions & { readonly pool: PostgresPool; readonly migrate?: MigrateMode | undefined }>({
    schema: passing(schemaRule, isSchema),
    prefix: passing(prefixRule, isPrefix),
    migrate: oneOf("create", "check"),
    connectionString: text('an address, such as "postgres://localhost/shop"'),
    poolSize: whole(1),
    connectTimeoutMs: whole(0),
    pool: having("a Pool of pg", "connect", "query"),
  }).refine(
    ({ pool, connectionString }) => (pool === undefined) !== (connectionString === undefined),
    'given either "connectionString" or a "pool" of pg',
  ),
);

/** Runs statements on a pool of `pg`. `close` does not close a pool that the caller passed in. */
export function postgresExecutor(options: PostgresOptions): SqlExecutor {
  check(options);
  return new PostgresExecutor(hasPool(options) ? async () => options.pool : () => openPool(options), !hasPool(options));
}

function hasPool(options: PostgresOptions): options is { readonly pool: PostgresPool } {
  return "pool" in options && options.pool !== undefined;
}

class PostgresExecutor implements SqlExecutor {
  readonly dialect = "postgres";
  readonly #open: () => Promise<PostgresPool>;
  readonly #names = new StatementNames();
  readonly #owned: boolean;
  readonly presence = new PostgresPresence(() => this.#connected());
  readonly side = new PostgresSide(() => this.#connected());
  #pool: Promise<PostgresPool> | undefined;
  #closing: Promise<void> | undefined;

  constructor(open: () => Promise<PostgresPool>, owned: boolean) {
    this.#open = open;
    this.#owned = owned;
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

  /** Reads with a cursor in its own transaction, which ends when the consumer stops. */
  async *stream(statement: SqlStatement, batchRows: number, bounds: ReadBounds = {}): AsyncGenerator<readonly SqlRow[], void, void> {
    const pool = await this.#connected();
    const { tx, rollBack } = await beginTransaction(pool, this.#names, { isolation: "snapshot", readOnly: true });
    try {
      yield* tx.stream(statement, batchRows, bounds);
    } finally {
      await rollBack();
    }
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
