import { setImmediate as nextTurn } from "node:timers/promises";
import { turnIsOver, yieldToEventLoop } from "../../../../src/http/yieldToEventLoop.js";
import type { ReadBounds } from "../../query/readBounds.js";
import { isConstraintViolation } from "../errors.js";
import type { SqlExecutor, SqlResult, SqlRow, SqlScan, SqlStatement } from "../executor.js";
import type { RowReading, SqliteConnection } from "./sqliteConnection.js";
import { SqliteScan } from "./sqliteScan.js";
import { type BegunRead, beginRead, collectRows, executeStatement, resultOf } from "./sqliteStatement.js";

/** The state that a transaction and its savepoints share. */
interface Shared {
  readonly connection: SqliteConnection;
  /** How long its statements took in total, in milliseconds. */
  workedMs: number;
  /** The open long read. Other long reads and all other statements wait for it, because rows must not change meanwhile. */
  lastScan: Promise<void> | undefined;
  /** An error that may have rolled back the transaction. No statement may run after it: it would commit on its own. */
  broken?: { readonly error: unknown };
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
  readonly #depth: number;
  #ended = false;
  #lastNested: Promise<unknown> = Promise.resolve();

  private constructor(shared: Shared, depth: number) {
    this.#shared = shared;
    this.#depth = depth;
  }

  /**
   * Runs `run` and commits or rolls back. The caller has already executed `begin`.
   *
   * @param beforeLargeCommit called before the commit of a large transaction
   * @throws what `run` throws, after the rollback
   */
  static async run<R>(connection: SqliteConnection, run: (tx: SqlExecutor) => Promise<R>, beforeLargeCommit = () => {}): Promise<R> {
    const shared: Shared = { connection, workedMs: 0, lastScan: undefined };
    try {
      const result = await new SqliteTransaction(shared, 0).#bracket(run);
      const wasLarge = isLarge(shared.workedMs);
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
    const shared: Shared = { connection, workedMs: 0, lastScan: undefined };
    try {
      const result = await new SqliteTransaction(shared, 0).#savepoint(run);
      return { ok: true, result, workedMs: shared.workedMs };
    } catch (error) {
      return { ok: false, error, isBroken: shared.broken !== undefined, workedMs: shared.workedMs };
    }
  }

  async query(statement: SqlStatement, bounds: ReadBounds = {}): Promise<SqlResult> {
    if (turnIsOver()) await yieldToEventLoop();
    if (this.#shared.lastScan !== undefined) await this.#readsOver();
    this.#refuseIfOver();
    const { connection } = this.#shared;
    let begun: BegunRead;
    const startedAt = performance.now();
    try {
      if (statement.writes || statement.returns !== "many") return executeStatement(connection, statement);
      begun = beginRead(connection, statement);
    } catch (error) {
      if (!isConstraintViolation(error)) this.#shared.broken ??= { error };
      throw error;
    } finally {
      this.#shared.workedMs += performance.now() - startedAt;
    }
    return begun.rest === undefined ? resultOf(begun.rows) : this.#finish(begun.rows, begun.rest, bounds);
  }

  async plan({ text, values }: SqlStatement): Promise<readonly string[]> {
    this.#refuseIfOver();
    return this.#shared.connection.plan(text, values);
  }

  async openScan(bounds: ReadBounds): Promise<SqlScan> {
    await this.#readsOver();
    this.#refuseIfOver();
    return this.#scan(bounds);
  }

  async #finish(rows: SqlRow[], rest: RowReading, bounds: ReadBounds): Promise<SqlResult> {
    const scan = this.#scan(bounds);
    try {
      return await collectRows(scan.rest(rest), rows);
    } finally {
      scan.close();
    }
  }

  #scan(bounds: ReadBounds): SqliteScan {
    const shared = this.#shared;
    let end = () => {};
    shared.lastScan = new Promise((resolve) => {
      end = () => {
        shared.lastScan = undefined;
        resolve();
      };
    });
    return new SqliteScan(shared.connection, bounds, true, "finish", end);
  }

  /** Savepoints of one transaction wait for each other: SQLite keeps them on a stack. */
  transaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    const nested = this.#lastNested.then(() => this.#savepoint(run));
    this.#lastNested = nested.catch(() => {});
    return nested;
  }

  async #savepoint<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    await this.#readsOver();
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
      await this.#readsOver();
    }
  }

  /** Waits for the open long read: rows must not change during it, and no savepoint may end. */
  async #readsOver(): Promise<void> {
    while (this.#shared.lastScan !== undefined) await this.#shared.lastScan;
  }

  #refuseIfOver(): void {
    if (this.#ended) throw new Error("The transaction has ended: its storage can no longer be used.");
    if (this.#shared.broken !== undefined) throw this.#shared.broken.error;
  }
}

/** Rolls back, unless an error already did. */
export function rollBack(connection: SqliteConnection): void {
  try {
    connection.execute("rollback");
  } catch {
    // Already rolled back.
  }
}
