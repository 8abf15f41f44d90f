import { isConstraintViolation } from "./errors.js";
import type { SqlExecutor, SqlResult, SqlStatement } from "./executor.js";
import { Slice } from "./slice.js";
import type { SqliteConnection } from "./sqliteConnection.js";
import { executeStatement } from "./sqliteExecute.js";

/** What a transaction and its savepoints share. */
interface Shared {
  readonly connection: SqliteConnection;
  readonly slice: Slice;
  /** After an error that may have rolled the transaction back, nothing may run any more: it would commit by itself. */
  broken?: { readonly error: unknown };
}

/** An open transaction, or a savepoint within one. */
export class SqliteTransaction implements SqlExecutor {
  readonly dialect = "sqlite";
  readonly #shared: Shared;
  readonly #depth: number;
  #ended = false;
  #lastNested: Promise<unknown> = Promise.resolve();

  private constructor(shared: Shared, depth: number) {
    this.#shared = shared;
    this.#depth = depth;
  }

  /**
   * Runs `run` between a `begin` that the caller has done and a commit or rollback.
   *
   * @throws what `run` throws, after the rollback
   */
  static async run<R>(connection: SqliteConnection, run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    const shared: Shared = { connection, slice: new Slice() };
    try {
      const result = await new SqliteTransaction(shared, 0).#bracket(run);
      connection.execute("commit");
      return result;
    } catch (error) {
      rollBack(connection);
      throw error;
    }
  }

  async query(statement: SqlStatement): Promise<SqlResult> {
    const { connection, slice } = this.#shared;
    if (slice.isOver) await slice.pause();
    this.#refuseIfOver();
    try {
      return executeStatement(connection, statement);
    } catch (error) {
      if (!isConstraintViolation(error)) this.#shared.broken ??= { error };
      throw error;
    }
  }

  /** Savepoints of one transaction wait for each other: SQLite keeps them on a stack. */
  transaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    const nested = this.#lastNested.then(() => this.#savepoint(run));
    this.#lastNested = nested.catch(() => {});
    return nested;
  }

  async #savepoint<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    this.#refuseIfOver();
    const { connection } = this.#shared;
    const name = `nested${this.#depth + 1}`;
    connection.execute(`savepoint ${name}`);
    try {
      return await new SqliteTransaction(this.#shared, this.#depth + 1).#bracket(run);
    } catch (error) {
      if (this.#shared.broken === undefined) connection.execute(`rollback to ${name}`);
      throw error;
    } finally {
      if (this.#shared.broken === undefined) connection.execute(`release ${name}`);
    }
  }

  async #bracket<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    try {
      const result = await run(this);
      await this.#lastNested;
      if (this.#shared.broken !== undefined) throw this.#shared.broken.error;
      return result;
    } finally {
      this.#ended = true;
    }
  }

  #refuseIfOver(): void {
    if (this.#ended) throw new Error("The transaction has ended: what it gave must not be used any more.");
    if (this.#shared.broken !== undefined) throw this.#shared.broken.error;
  }
}

/** Some errors roll back by themselves; then there is nothing left to do. */
export function rollBack(connection: SqliteConnection): void {
  try {
    connection.execute("rollback");
  } catch {
    // Rolled back already.
  }
}
