import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, isConstraintViolation } from "./errors.js";
import type { SqlExecutor, SqlResult, SqlStatement } from "./executor.js";
import { Slice } from "./slice.js";
import type { SqliteConnection } from "./sqliteConnection.js";
import { executeStatement } from "./sqliteExecute.js";
import { rollBack, SqliteTransaction } from "./sqliteTransaction.js";

interface Write {
  readonly statement: SqlStatement;
  resolve(result: SqlResult): void;
  reject(error: unknown): void;
}

/** A write that stands alone, or a transaction that has the connection to itself. */
type Job = Write | (() => Promise<void>);

const longestPauseMs = 50;

/**
 * The one connection that writes, behind a queue: first come, first served.
 *
 * Single writes that wait at the same time share a transaction, and each is told so after the commit only. One that fails does so alone.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #busyTimeoutMs: number;
  #jobs: Job[] = [];
  #working: Promise<void> | undefined;
  #transaction: Promise<unknown> | undefined;

  constructor(connection: SqliteConnection, busyTimeoutMs: number) {
    this.#connection = connection;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** The transaction that is open now; settles with it, never rejects. */
  get openTransaction(): Promise<unknown> | undefined {
    return this.#transaction;
  }

  write(statement: SqlStatement): Promise<SqlResult> {
    return new Promise((resolve, reject) => this.#enqueue({ statement, resolve, reject }));
  }

  /** Runs `run` with the connection to itself. */
  transaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#enqueue(async () => {
        const done = this.#runTransaction(run);
        this.#transaction = done.catch(() => {});
        await done.then(resolve, reject);
        this.#transaction = undefined;
      });
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  #enqueue(job: Job): void {
    this.#jobs.push(job);
    this.#working ??= this.#work();
  }

  /** Starts a turn later, so that what is written in this one goes into the same group. */
  async #work(): Promise<void> {
    const slice = new Slice();
    do {
      await slice.pause();
      const [next] = this.#jobs;
      if (typeof next === "function") {
        this.#jobs.shift();
        await next();
      } else if (next !== undefined) {
        await this.#commitGroup(slice);
      }
    } while (this.#jobs.length > 0);
    this.#working = undefined;
  }

  async #runTransaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    await this.#begin();
    return SqliteTransaction.run(this.#connection, run);
  }

  async #commitGroup(slice: Slice): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      for (const write of this.#takeWrites()) write.reject(error);
      return;
    }
    const writes = this.#takeWrites();
    const settlements: (() => void)[] = [];
    for (const [index, write] of writes.entries()) {
      if (settlements.length > 0 && slice.isOver) {
        this.#jobs.unshift(...writes.slice(index));
        break;
      }
      try {
        const result = executeStatement(this.#connection, write.statement);
        settlements.push(() => write.resolve(result));
      } catch (error) {
        if (!isConstraintViolation(error)) {
          // The engine may have rolled back what went before: all but this one are done again.
          rollBack(this.#connection);
          this.#jobs.unshift(...writes.filter((other) => other !== write));
          write.reject(error);
          return;
        }
        settlements.push(() => write.reject(error));
      }
    }
    this.#commit(writes.slice(0, settlements.length), settlements);
  }

  #commit(writes: readonly Write[], settlements: readonly (() => void)[]): void {
    try {
      this.#connection.execute("commit");
    } catch (error) {
      rollBack(this.#connection);
      for (const write of writes) write.reject(error);
      return;
    }
    for (const settle of settlements) settle();
  }

  /** The single writes at the head of the queue. */
  #takeWrites(): Write[] {
    const end = this.#jobs.findIndex((job) => typeof job === "function");
    const taken = end === -1 ? this.#jobs : this.#jobs.slice(0, end);
    this.#jobs = end === -1 ? [] : this.#jobs.slice(end);
    return taken.filter((job) => typeof job !== "function");
  }

  /** Waits for a process that holds the lock without blocking this one. */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
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
