import { AsyncResource } from "node:async_hooks";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { requireOutside } from "../../../../../src/ground/storage/insideTransaction.js";
import { isBusy, isConstraintViolation } from "../errors.js";
import type { SqlExecutor, SqlResult, SqlStatement } from "../executor.js";
import type { SqliteConnection } from "./sqliteConnection.js";
import { executeStatement, mayHaveRolledBack, rollBack } from "./sqliteStatement.js";
import { isLarge, SqliteTransaction } from "./sqliteTransaction.js";

interface Write {
  readonly statement: SqlStatement;
  resolve(result: SqlResult): void;
  reject(error: unknown): void;
}

interface BriefTransaction {
  run(tx: SqlExecutor): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What shares a commit with others. */
type Part = Write | BriefTransaction;

/** A part of a group, or a function that has the connection to itself while it runs. */
type Task = Part | (() => Promise<void>);

/** What became of a part. */
interface PartDone {
  /** Tells the caller, after the commit. */
  reply(): void;
  /** The engine may have rolled back the whole group. */
  readonly isBroken: boolean;
  readonly workedMs: number;
}

const maxPauseMs = 50;
/** How long the parts of one group may take before the rest becomes the next group, in milliseconds. */
const maxGroupMs = 10;

/** A commit copies the log into the file when it has this many pages: the default of SQLite. @see https://sqlite.org/wal.html#ckpt */
const checkpointPages = 1_000;

/**
 * The one connection that writes, with a first-in-first-out queue.
 *
 * Single writes and brief transactions that wait at the same time share a commit, and resolve only after it. If one of them fails, the others are not affected.
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

  /**
   * Runs `run` in a transaction while nothing else is written.
   *
   * @param isBrief whether it may share the commit of others, and be called again if one of them fails
   */
  transaction<R>(run: (tx: SqlExecutor) => Promise<R>, isBrief = false): Promise<R> {
    // The queue runs in the async context of the call that started it. Traces, and code of the developer, need the context of their own call.
    const caller = new AsyncResource("SqliteTransaction");
    const bound = (tx: SqlExecutor) => caller.runInAsyncScope(run, undefined, tx);
    return new Promise((resolve, reject) => {
      if (isBrief) this.#enqueue({ run: bound, resolve: resolve as (result: unknown) => void, reject });
      else this.#enqueue(() => this.#runTransaction(bound).then(resolve, reject));
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

  /** @throws {ConfigurationError} if the caller runs within the transaction that is open: each would wait for the other */
  #enqueue(task: Task): void {
    requireOutside(this);
    this.#tasks.push(task);
    this.#working ??= this.#work();
  }

  /** Starts one turn later, so that all writes of this turn go into the same group. */
  async #work(): Promise<void> {
    do {
      await nextTurn();
      const [next] = this.#tasks;
      if (next === undefined) continue;
      if (typeof next === "function") this.#tasks.shift();
      await (typeof next === "function" ? next() : this.#open(this.#commitGroup()));
      if (this.#owesCheckpoint) await this.#checkpoint();
    } while (this.#tasks.length > 0);
    this.#working = undefined;
  }

  async #open<R>(transaction: Promise<R>): Promise<R> {
    this.#transaction = transaction.catch(() => {});
    try {
      return await transaction;
    } finally {
      this.#transaction = undefined;
    }
  }

  async #runTransaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    const begun = this.#begin();
    return this.#open(begun.then(() => this.#runBegun(run)));
  }

  #runBegun<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
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
      for (const part of this.#takeParts()) part.reject(error);
      return;
    }
    const parts = this.#takeParts();
    const [only] = parts;
    if (only !== undefined && parts.length === 1 && "run" in only) return this.#runBegun(only.run).then(only.resolve, only.reject);
    const endsAt = performance.now() + maxGroupMs;
    const done: PartDone[] = [];
    for (const [index, part] of parts.entries()) {
      if (done.length > 0 && performance.now() >= endsAt) {
        this.#tasks.unshift(...parts.slice(index));
        break;
      }
      const one = "run" in part ? await this.#runBrief(part) : this.#runWrite(part);
      if (one.isBroken) {
        // All parts except this one are queued again.
        rollBack(this.#connection);
        this.#tasks.unshift(...parts.filter((other) => other !== part));
        one.reply();
        return;
      }
      done.push(one);
    }
    const wasLarge = isLarge(done.reduce((sum, { workedMs }) => sum + workedMs, 0));
    if (wasLarge) {
      this.#putOffCheckpoint();
      await nextTurn();
    }
    try {
      this.#connection.execute("commit");
    } catch (error) {
      rollBack(this.#connection);
      const failed = parts.slice(0, done.length);
      if (failed.length > 1 && isConstraintViolation(error)) this.#tasks.unshift(...failed.map((part) => () => this.#commitAlone(part)));
      else for (const part of failed) part.reject(error);
      return;
    }
    // The callers use the results in another turn of the event loop than the commit.
    if (wasLarge) await nextTurn();
    for (const { reply } of done) reply();
  }

  /** A deferred foreign key of one part refuses the commit of all: each then has its own. */
  async #commitAlone(part: Part): Promise<void> {
    const run = "run" in part ? part.run : (tx: SqlExecutor) => tx.query(part.statement);
    await this.#runTransaction<unknown>(run).then(part.resolve as (result: unknown) => void, part.reject);
  }

  #runWrite({ statement, resolve, reject }: Write): PartDone {
    try {
      const result = executeStatement(this.#connection, statement);
      return { reply: () => resolve(result), isBroken: false, workedMs: 0 };
    } catch (error) {
      return { reply: () => reject(error), isBroken: mayHaveRolledBack(this.#connection, error), workedMs: 0 };
    }
  }

  async #runBrief({ run, resolve, reject }: BriefTransaction): Promise<PartDone> {
    const { workedMs, ...ended } = await SqliteTransaction.runPart(this.#connection, run);
    if (ended.ok) return { reply: () => resolve(ended.result), isBroken: false, workedMs };
    return { reply: () => reject(ended.error), isBroken: ended.isBroken, workedMs };
  }

  /** Removes the parts at the head of the queue. */
  #takeParts(): Part[] {
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
