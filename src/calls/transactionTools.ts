import { afterCommit } from "../operation/afterCommit.js";
import { ConfigurationError } from "../problem/index.js";
import type { TransactionTools } from "../resource/callTypes/transactionTools.js";
import type { Place } from "./place.js";

/** @param tenant of the events that name none */
export function transactionTools({ use }: Pick<Place, "use">, tenant: string | undefined): TransactionTools {
  return {
    async emit(event) {
      const { events, storage } = use();
      if (events?.emit === undefined) throw new ConfigurationError(`"tx.emit" needs webhooks() or subscribers() in "use".`);
      return events.emit({ ...event, tenant: event.tenant ?? tenant }, storage);
    },
    async sql(text, values = []) {
      const { storage } = use("sql");
      if (storage.sql === undefined) throw new ConfigurationError(`"tx.sql" needs a store with SQL; "${storage.name}" has none.`);
      return storage.sql(text, values);
    },
    afterCommit(callback) {
      if (typeof callback !== "function") throw new ConfigurationError(`"tx.afterCommit" takes a function.`);
      afterCommit(use("afterCommit").storage, callback);
    },
  };
}
