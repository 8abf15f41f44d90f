import type { EmittedEvent } from "../../operation/rowEvents.js";

/** What a transaction offers beside its collections. */
export interface TransactionTools {
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
