import type { TransactionPart } from "../../ground/storage/insideTransaction.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Environment } from "../operation/environment.js";
import { hasConcurrentWriters } from "../operation/transaction/seenVersions.js";

/** A rule of the developer that may read other rows. */
export interface ReadingRule {
  /** For the log: `"beforeWrite" of "orders"`. */
  readonly name: string;
  /** The same object in each run of the rule. */
  readonly identity: object;
  /** Whether the developer says that other transactions may change what it reads. */
  readonly isConcurrent: boolean;
}

/** The rules that a line was logged for. */
const logged = new WeakSet<object>();

/**
 * Logs, once a rule, that it has read rows without a lock in a transaction that others may write beside: a decision that depends on them, such as "at most one", does not hold if two run at
 * once. Nothing is logged for tests on stores with one writer, where it holds.
 */
export function warnOfConcurrentReads(
  { name, identity, isConcurrent }: ReadingRule,
  part: TransactionPart,
  environment: Environment,
  tx: Storage,
): void {
  if (part.reads !== true || part.locks === true || isConcurrent || logged.has(identity) || !hasConcurrentWriters(tx)) return;
  logged.add(identity);
  environment.logger.warn(
    { rule: name },
    `Other rows are read before a write, and other transactions may change them meanwhile, in ${name}: ${waysOut}`,
  );
}

const waysOut = 'call tx.lock with a key before it reads, give it "isolation": "serializable", or say "concurrent": true if that does no harm.';
