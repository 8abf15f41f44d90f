import type { EnqueuedJob, EnqueueOptions } from "../../operation/work/enqueuing.js";
import type { EmittedEvent } from "../../operation/write/rowEvents.js";

/** A part of a key to lock. */
export type LockKey = string | number | bigint | boolean | Date;

/** Jobs of handlers of the developer's, within a transaction. */
export interface TransactionJobs {
  /**
   * Creates a job that runs if the transaction commits, by default in its tenant.
   *
   * @param name of a handler of `jobs()`
   * @throws {ProblemError} VALIDATION_FAILED @throws {ConfigurationError} for an unknown name or option, and for a service without handlers
   * @example
   * await tx.jobs.enqueue("invoice", { order: row.id });
   */
  enqueue(name: string, input?: unknown, options?: EnqueueOptions): Promise<EnqueuedJob>;
}

/** What a transaction offers beside its collections. */
export interface TransactionTools {
  /** Absent in a service with a collection of this name. */
  readonly jobs: TransactionJobs;
  /**
   * Locks a key: another transaction that locks the same key waits until this one ends. Lock it before reading what a rule depends on, such as the bookings of a clinic. On stores with one
   * writer, such as SQLite, transactions wait for each other anyway. In a transaction with the isolation `snapshot` what is read after the lock may be older than the lock.
   *
   * @param key texts, numbers, booleans and dates; 4 and "4" are the same. Keys are the same in all tenants: name the tenant where the rule holds for each
   * @throws {ProblemError} STORAGE_UNAVAILABLE if the key is not free in time (5 seconds on PostgreSQL) @throws {ConfigurationError} on a store without locks
   * @example
   * await tx.lock("clinic", 4);
   * if ((await tx.of(bookings).count({ where: { clinicId: 4, at } })) > 0) throw problem("TAKEN", 409, "The clinic is taken then.");
   */
  lock(...key: readonly [LockKey, ...LockKey[]]): Promise<void>;
  /**
   * Emits an event that is delivered if the transaction commits, by default in the tenant of the transaction.
   *
   * @returns the id of the event
   * @throws {ConfigurationError} if the service has neither `webhooks()` nor `subscribers()`
   */
  emit(event: EmittedEvent): Promise<string>;
  /**
   * Runs one statement of SQL in the transaction. Nothing that the library promises of rows holds for it: no validation, no scope, no hook, no event.
   *
   * @param text with `?` for SQLite, and `$1`, `$2` … for PostgreSQL
   * @throws {ConfigurationError} on a store without SQL, and for a statement that begins, ends or changes a transaction
   */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Runs a function in this process after the commit, and never after a rollback. Its errors are logged; a crash loses it. */
  afterCommit(callback: () => unknown): void;
}
