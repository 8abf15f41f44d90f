import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isBusy, isConstraintViolation } from "../errors.js";
import type { SqlExecutor, SqlResult, SqlStatement } from "../executor.js";
import type { SqliteConnection } from "./sqliteConnection.js";
import { executeStatement } from "./sqliteStatement.js";
import { rollBack, SqliteTransaction } from "./sqliteTransaction.js";

interface Write {
  readonly statement: SqlStatement;
  resolve(result: SqlResult): void;
  reject(error: unknown): void;
}

/** A single write, or a function that has the connection to itself while it runs. */
type Task = Write | (() => Promise<void>);

const maxPauseMs = 50;
/** How long the writes of one group may take before the rest becomes the next group, in milliseconds. */
const maxGroupMs = 10;

/** A commit copies the log into the file when it has this many pages: the default of SQLite. @see https://sqlite.org/wal.html#ckpt */
const checkpointPages = 1_000;

/**
 * The one connection that writes, with a first-in-first-out queue.
 *
 * Single writes that wait at the same time share a transaction, and resolve only after its commit. If one of them fails, the others are not affected.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #busyTimeoutMs: number;
  #tasks: Task[] = [];
  #working: Promise<void> | undefined;
  #transaction: Promise<unknown> | undefined;
  #owesCheckpoint = false;

  constructor(connection: SqliteConnection, busyTimeoutMs: number) {
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Resolves when the transaction that is open now ends; never rejects. */
  get openTransaction(): Promise<unknown> | undefined {
    return this.#transaction;
  }

  write(statement: SqlStatement): Promise<SqlResult> {
    return new Promise((resolve, reject) => this.#enqueue({ statement, resolve, reject }));
  }

  /** Runs `run` in a transaction while nothing else is written. */
  transaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#enqueue(async () => {
        const done = this.#runTransaction(run);
        this.#transaction = done.catch(() => {});
        await done.then(resolve, reject);
        this.#transaction = undefined;
        if (this.#owesCheckpoint) await this.#checkpoint();
      });
    });
  }

  /** Runs `run` outside of a transaction while nothing else is written. */
  hold(run: () => Promise<void>): void {
    this.#enqueue(run);
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  #enqueue(task: Task): void {
    this.#tasks.push(task);
    this.#working ??= this.#work();
  }

  /** Starts one turn later, so that all writes of this turn go into the same group. */
  async #work(): Promise<void> {
    do {
      await nextTurn();
      const [next] = this.#tasks;
      if (typeof next === "function") {
        this.#tasks.shift();
        await next();
      } else if (next !== undefined) {
        await this.#commitGroup();
      }
    } while (this.#tasks.length > 0);
    this.#working = undefined;
  }

  async #runTransaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    await this.#begin();
    return SqliteTransaction.run(this.#connection, run, () => this.#putOffCheckpoint());
  }

  /** Without this, the commit of a large transaction would also copy its pages into the file, and block the event loop twice as long. */
  #putOffCheckpoint(): void {
    this.#owesCheckpoint = true;
    this.#connection.execute("pragma wal_autocheckpoint = 0");
  }

  /** Copies the pages in a separate turn, after the promise of the transaction has settled. */
  async #checkpoint(): Promise<void> {
    await nextTurn();
    this.#owesCheckpoint = false;
    this.#connection.execute(`pragma wal_autocheckpoint = ${checkpointPages}`);
    try {
      this.#connection.first("pragma wal_checkpoint(passive)", [], false);
    } catch {
      // Nothing is lost: the pages are in the log, and the next commit tries again.
    }
  }

  async #commitGroup(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      for (const write of this.#takeWrites()) write.reject(error);
      return;
    }
    const writes = this.#takeWrites();
    const endsAt = performance.now() + maxGroupMs;
    const replies: (() => void)[] = [];
    for (const [index, write] of writes.entries()) {
      if (replies.length > 0 && performance.now() >= endsAt) {
        this.#tasks.unshift(...writes.slice(index));
        break;
      }
      try {
        const result = executeStatement(this.#connection, write.statement);
        replies.push(() => write.resolve(result));
      } catch (error) {
        if (!isConstraintViolation(error)) {
          // The engine may have rolled back the previous writes: queue all writes except this one again.
          rollBack(this.#connection);
          this.#tasks.unshift(...writes.filter((other) => other !== write));
          write.reject(error);
          return;
        }
        replies.push(() => write.reject(error));
      }
    }
    this.#commit(writes.slice(0, replies.length), replies);
  }

  #commit(writes: readonly Write[], replies: readonly (() => void)[]): void {
    try {
      this.#connection.execute("commit");
    } catch (error) {
      rollBack(this.#connection);
      for (const write of writes) write.reject(error);
      return;
    }
    for (const reply of replies) reply();
  }

  /** Removes the single writes at the head of the queue. */
  #takeWrites(): Write[] {
    const end = this.#tasks.findIndex((task) => typeof task === "function");
    const taken = end === -1 ? this.#tasks : this.#tasks.slice(0, end);
    this.#tasks = end === -1 ? [] : this.#tasks.slice(end);
    return taken.filter((task) => typeof task !== "function");
  }

  /** Waits, without blocking this process, while another process holds the lock. */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        this.#connection.execute("begin immediate");
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
      }
      await sleep(pauseMs);
    }
  }
}
