import { afterCommit } from "../operation/afterCommit.js";
import type { EmittedEvent } from "../operation/rowEvents.js";
import { ConfigurationError } from "../problem/index.js";
import type { Place } from "./place.js";

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
   * Runs a statement of SQL in the transaction. Nothing that the library promises of rows holds for it: no validation, no scope, no hook, no event.
   *
   * @param text with `?` for SQLite, and `$1`, `$2` … for PostgreSQL
   * @throws {ConfigurationError} on a store without SQL
   */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Runs a function in this process after the commit, and never after a rollback. Its errors are logged; a crash loses it. */
  afterCommit(callback: () => unknown): void;
}

/** @param tenant of the events that name none */
export function transactionTools({ use }: Pick<Place, "use">, tenant: string | undefined): TransactionTools {
  return {
    async emit(event) {
      const { events, storage } = use();
      if (events?.emit === undefined) throw new ConfigurationError(`"tx.emit" needs webhooks() or subscribers() in "use".`);
      return events.emit({ ...event, tenant: event.tenant ?? tenant }, storage);
    },
    async sql(text, values = []) {
      const { storage } = use(true);
      if (storage.sql === undefined) throw new ConfigurationError(`"tx.sql" needs a store with SQL; "${storage.name}" has none.`);
      return storage.sql(text, values);
    },
    afterCommit(callback) {
      if (typeof callback !== "function") throw new ConfigurationError(`"tx.afterCommit" takes a function.`);
      afterCommit(use().storage, callback);
    },
  };
}
