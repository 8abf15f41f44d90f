import { setImmediate as nextTurn } from "node:timers/promises";
import { turnIsOver, yieldToEventLoop } from "../../../../../src/ground/http/yieldToEventLoop.js";
import type { ReadBounds } from "../../query/readBounds.js";
import type { SqlExecutor, SqlResult, SqlRow, SqlScan, SqlStatement } from "../executor.js";
import { TransactionLevel } from "../transactionLevel.js";
import type { RowReading, SqliteConnection } from "./sqliteConnection.js";
import { SqliteScan } from "./sqliteScan.js";
import { type BegunRead, beginRead, collectRows, executeStatement, mayHaveRolledBack, resultOf, rollBack } from "./sqliteStatement.js";

/** The state that a transaction and its savepoints share. */
interface Shared {
  readonly connection: SqliteConnection;
  /** How long its statements took in total, in milliseconds. */
  workedMs: number;
}

/** Whether a transaction whose statements took this long may have written some thousand pages. */
export function isLarge(workedMs: number): boolean {
  return workedMs >= 20;
}

/** How a part of a transaction ended. */
export type PartEnd<R> =
  | { readonly ok: true; readonly result: R; readonly workedMs: number }
  /** If it is broken, the engine may have rolled back the whole transaction. */
  | { readonly ok: false; readonly error: unknown; readonly isBroken: boolean; readonly workedMs: number };

/** An open transaction, or a savepoint within one. */
export class SqliteTransaction implements SqlExecutor {
  readonly dialect = "sqlite";
  readonly #shared: Shared;
  /** An error that may have rolled back the transaction breaks it: a later statement would commit on its own. */
  readonly #level: TransactionLevel;

  private constructor(shared: Shared, level: TransactionLevel) {
    this.#shared = shared;
    this.#level = level;
  }

  static #open(connection: SqliteConnection): SqliteTransaction {
    return new SqliteTransaction({ connection, workedMs: 0 }, new TransactionLevel((text) => connection.execute(text)));
  }

  /**
   * Runs `run` and commits or rolls back. The caller has already executed `begin`.
   *
   * @param beforeLargeCommit called before the commit of a large transaction
   * @throws what `run` throws, after the rollback
   */
  static async run<R>(connection: SqliteConnection, run: (tx: SqlExecutor) => Promise<R>, beforeLargeCommit = () => {}): Promise<R> {
    const tx = SqliteTransaction.#open(connection);
    try {
      const result = await tx.#level.run(() => run(tx));
      const wasLarge = isLarge(tx.#shared.workedMs);
      if (wasLarge) {
        beforeLargeCommit();
        await nextTurn();
      }
      connection.execute("commit");
      // The caller uses the result in another turn of the event loop than the commit.
      if (wasLarge) await nextTurn();
      return result;
    } catch (error) {
      rollBack(connection);
      throw error;
    }
  }

  /** Runs `run` in a savepoint of a transaction that the caller has begun and commits. Never rejects. */
  static async runPart<R>(connection: SqliteConnection, run: (tx: SqlExecutor) => Promise<R>): Promise<PartEnd<R>> {
    const whole = SqliteTransaction.#open(connection);
    try {
      const result = await whole.transaction(run);
      return { ok: true, result, workedMs: whole.#shared.workedMs };
    } catch (error) {
      return { ok: false, error, isBroken: whole.#level.isBroken, workedMs: whole.#shared.workedMs };
    }
  }

  async query(statement: SqlStatement, bounds: ReadBounds = {}): Promise<SqlResult> {
    if (turnIsOver()) await yieldToEventLoop();
    return this.#level.turn(() => this.#execute(statement, bounds));
  }

  async plan({ text, values }: SqlStatement): Promise<readonly string[]> {
    return this.#level.turn(() => this.#shared.connection.plan(text, values));
  }

  /** All statements wait until the scan is closed: rows must not change during it, and no savepoint may end. */
  openScan(bounds: ReadBounds): Promise<SqlScan> {
    return new Promise((resolve, reject) => {
      const turn = this.#level.turn(() => new Promise<void>((end) => resolve(this.#scan(bounds, end))));
      Promise.resolve(turn).catch(reject);
    });
  }

  transaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    return this.#level.nest((level) => run(new SqliteTransaction(this.#shared, level)));
  }

  /** Runs a statement, of a long read its first rows. */
  #execute(statement: SqlStatement, bounds: ReadBounds): SqlResult | Promise<SqlResult> {
    const { connection } = this.#shared;
    let begun: BegunRead;
    const startedAt = performance.now();
    try {
      if (statement.writes || statement.returns !== "many") return executeStatement(connection, statement);
      begun = beginRead(connection, statement);
    } catch (error) {
      if (mayHaveRolledBack(connection, error)) this.#level.fail(error);
      throw error;
    } finally {
      this.#shared.workedMs += performance.now() - startedAt;
    }
    return begun.rest === undefined ? resultOf(begun.rows) : this.#finish(begun.rows, begun.rest, bounds);
  }

  #finish(rows: SqlRow[], rest: RowReading, bounds: ReadBounds): Promise<SqlResult> {
    return collectRows(this.#scan(bounds, () => {}).rest(rest), rows);
  }

  #scan(bounds: ReadBounds, end: () => void): SqliteScan {
    return new SqliteScan(this.#shared.connection, bounds, true, "finish", end);
  }
}
