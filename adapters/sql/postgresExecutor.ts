import { Unavailable } from "../../src/storage/errors.js";
import type { SqlExecutor, SqlResult, SqlRow, SqlStatement, SqlTransactionOptions } from "./executor.js";
import { openPool, type PostgresConnection, type PostgresPool } from "./postgresPool.js";
import { beginTransaction, toQuery, toResult } from "./postgresTransaction.js";

/** A pool of `pg` that the caller owns, or what to open one with. */
export type PostgresOptions = { readonly pool: PostgresPool } | PostgresConnection;

/** Runs statements on a pool of `pg`. A pool that was given stays open when the executor is closed. */
export function postgresExecutor(options: PostgresOptions): SqlExecutor {
  return new PostgresExecutor("pool" in options ? async () => options.pool : () => openPool(options), !("pool" in options));
}

class PostgresExecutor implements SqlExecutor {
  readonly dialect = "postgres";
  readonly #open: () => Promise<PostgresPool>;
  readonly #owned: boolean;
  #pool: Promise<PostgresPool> | undefined;
  #closing: Promise<void> | undefined;

  constructor(open: () => Promise<PostgresPool>, owned: boolean) {
    this.#open = open;
    this.#owned = owned;
  }

  async query(statement: SqlStatement): Promise<SqlResult> {
    const pool = await this.#connected();
    return toResult(await pool.query(toQuery(statement)));
  }

  async transaction<R>(run: (tx: SqlExecutor) => Promise<R>, options: SqlTransactionOptions = {}): Promise<R> {
    const { tx, commit, rollBack } = await beginTransaction(await this.#connected(), options);
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

  /** A cursor in a transaction of its own, which ends when the reader has enough. */
  async *stream(statement: SqlStatement, batchRows: number): AsyncGenerator<readonly SqlRow[], void, void> {
    const pool = await this.#connected();
    const { tx, rollBack } = await beginTransaction(pool, { isolation: "snapshot", readOnly: true });
    try {
      yield* tx.stream(statement, batchRows);
    } finally {
      await rollBack();
    }
  }

  async ping(): Promise<void> {
    await this.query({ text: "select 1", values: [], writes: false, returns: "one" });
  }

  async close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #connected(): Promise<PostgresPool> {
    if (this.#closing !== undefined) throw new Unavailable("The PostgreSQL store is closed.");
    this.#pool ??= this.#open();
    return this.#pool;
  }

  async #end(): Promise<void> {
    if (!this.#owned || this.#pool === undefined) return;
    const pool = await this.#pool;
    await pool.end();
  }
}
