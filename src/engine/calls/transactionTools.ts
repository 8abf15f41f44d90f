import { ConfigurationError } from "../../ground/problem/index.js";
import { afterCommit } from "../operation/transaction/afterCommit.js";
import { noteUnknownWrites } from "../operation/transaction/seenVersions.js";
import { enqueuing } from "../operation/work/enqueuing.js";
import type { LockKey, TransactionJobs, TransactionTools } from "../resource/callTypes/transactionTools.js";
import type { CallExecutor } from "./callExecutor.js";

/** @param tenant of the events that name none */
export function transactionTools({ use, note }: Pick<CallExecutor, "use" | "note">, tenant: string | undefined): Omit<TransactionTools, "jobs"> {
  return {
    async emit(event) {
      const { events, storage } = use();
      if (events?.emit === undefined) throw new ConfigurationError(`"tx.emit" needs webhooks() or subscribers() in "use".`);
      return events.emit({ ...event, tenant: event.tenant ?? tenant }, storage);
    },
    async lock(...key) {
      const { storage } = use("lock");
      const text = keyText(key);
      note?.("locks");
      // With one writer no other transaction runs.
      if (storage.queue !== undefined) return;
      if (storage.lock === undefined) throw new ConfigurationError(`The storage "${storage.name}" cannot lock keys.`);
      await storage.lock(text);
    },
    async sql(text, values = []) {
      const { storage } = use("sql");
      if (storage.sql === undefined) throw new ConfigurationError(`"tx.sql" needs a store with SQL; "${storage.name}" has none.`);
      if (!readsOnly.test(text)) noteUnknownWrites(storage);
      return storage.sql(text, values);
    },
    afterCommit(callback) {
      if (typeof callback !== "function") throw new ConfigurationError(`"tx.afterCommit" takes a function.`);
      afterCommit(use("afterCommit").storage, callback);
    },
  };
}

/** @param tenant of the jobs that name none */
export function transactionJobs({ use }: Pick<CallExecutor, "use">, tenant: string | undefined): TransactionJobs {
  return {
    async enqueue(name, input, options) {
      const { offers, storage } = use();
      const jobs = offers.get(enqueuing);
      if (jobs?.enqueueWithin === undefined) throw new ConfigurationError(`"tx.jobs.enqueue" needs jobs({ handlers }) in "use".`);
      return jobs.enqueueWithin(storage, tenant, name, input, options);
    },
  };
}

/** What seems to read. If it does write a row that was read before, a later write of that row is refused. */
const readsOnly = /^\s*(?:select|values|table|show)\b/i;

/** The key as one text. A number and its text are the same: ids come as either. @throws {ConfigurationError} */
function keyText(parts: readonly LockKey[]): string {
  const texts = parts.map((part) => (part instanceof Date && !Number.isNaN(part.getTime()) ? part.toISOString() : part));
  const areScalars = texts.every((part) => ["string", "number", "bigint", "boolean"].includes(typeof part));
  if (texts.length === 0 || !areScalars) {
    throw new ConfigurationError(`"tx.lock" takes the parts of a key: texts, numbers, booleans and dates, such as tx.lock("clinic", 4).`);
  }
  return JSON.stringify(texts.map(String));
}
