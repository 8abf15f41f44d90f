import { ConfigurationError } from "../../../ground/problem/index.js";
import { Retryable } from "../../../ground/storage/errors.js";
import { type Isolation, isAtLeast } from "../../../ground/storage/isolation.js";
import type { Storage, TransactionOptions } from "../../../ground/storage/storage.js";
import type { Logger } from "../logging/logger.js";
import { type RetryOptions, retrying } from "../work/retry.js";
import { type Callback, waitingFor } from "./afterCommit.js";
import { errorOfWrite } from "./outcomeUnknown.js";
import { outermost } from "./transactionsAround.js";

/** What a service runs transactions with. */
export interface TransactionParts extends RetryOptions {
  readonly storage: Storage;
  readonly logger: Logger;
  /** Called when a transaction begins; what it returns is called after the commit. */
  observeCommit(): (() => void) | undefined;
}

/** Options of a transaction of a service. */
export type ServiceTransactionOptions = Pick<TransactionOptions, "isBrief" | "deferConstraints" | "isolation">;

/**
 * Runs a function in a transaction of the storage, and again after a conflict with another transaction: at most three times. If a rule that it runs needs a stricter
 * isolation, the transaction is rolled back and begins again with that one.
 *
 * @throws {ConfigurationError} if the storage has no transactions, or not of the isolation that is needed @throws {Retryable} if the last attempt fails too
 */
export function runTransaction<R>(
  parts: TransactionParts,
  run: (tx: Storage) => Promise<R>,
  { isolation, ...options }: ServiceTransactionOptions = {},
): Promise<R> {
  let level = isolation;
  return retrying(async (retry) => {
    for (;;) {
      try {
        return await attempt(parts, run, { ...options, isolation: level }, retry + 1);
      } catch (error) {
        const needed = needs.get(error as object);
        if (needed === undefined) throw error;
        level = needed;
      }
    }
  }, parts);
}

async function attempt<R>(
  { storage, logger, observeCommit }: TransactionParts,
  run: (tx: Storage) => Promise<R>,
  options: ServiceTransactionOptions,
  number: number,
): Promise<R> {
  if (storage.transaction === undefined) throw new ConfigurationError("The storage has no transactions.");
  const committed = observeCommit();
  const begin = storage.transaction.bind(storage);
  let last: Storage | undefined;
  let hasRun = false;
  const within = async (tx: Storage): Promise<R> => {
    [last, hasRun] = [tx, false];
    requireOfStorage(tx, options.isolation);
    if (number > 1) attempts.set(tx, number);
    const result = await run(tx).catch((error: unknown) => {
      throw lacking.get(tx) ?? error;
    });
    // Code of the developer may have caught the error.
    const needed = lacking.get(tx);
    if (needed !== undefined) throw needed;
    hasRun = true;
    return result;
  };
  // What fails after the function is the commit, which may have been done.
  const result = await begin(within, options).catch((error: unknown) => {
    throw hasRun ? errorOfWrite(error) : error;
  });
  committed?.();
  for (const callback of waitingFor(last)) void tell(callback, logger);
  return result;
}

/** Runs a function of the developer after a commit. Nothing waits for it, and the write stands whatever becomes of it. */
async function tell(callback: Callback, logger: Logger): Promise<void> {
  try {
    await callback();
  } catch (err) {
    logger.error({ err }, "A function of afterCommit failed; the transaction before it is committed.");
  }
}

/** Which attempt each transaction is, from the second on. */
const attempts = new WeakMap<Storage, number>();

/** How often the transaction has begun: 1, and one more after each conflict with another transaction. */
export function attemptOf(tx: Storage): number {
  return attempts.get(outermost(tx)) ?? 1;
}

/** The isolation of a transaction. Those that wait for each other in a queue run one after the other. */
export function isolationOf({ queue, isolation = "committed" }: Storage): Isolation {
  return queue === undefined ? isolation : "serializable";
}

/** The transactions that lack the isolation of a rule, with the error that they end with. */
const lacking = new WeakMap<Storage, Retryable>();
/** The isolation that each of these errors asks for. */
const needs = new WeakMap<object, Isolation>();

/** Requires an isolation of the transaction. Without it, the transaction is rolled back and begins again. @throws {Retryable} */
export function requireIsolation(tx: Storage, isolation: Isolation = "committed"): void {
  if (isAtLeast(isolationOf(tx), isolation)) return;
  const error = new Retryable(`The transaction needs the isolation "${isolation}", and begins again with it.`);
  lacking.set(outermost(tx), error);
  needs.set(error, isolation);
  throw error;
}

/** A storage that ignores the option would break what it promises. @throws {ConfigurationError} */
function requireOfStorage(tx: Storage, isolation: Isolation = "committed"): void {
  if (isAtLeast(isolationOf(tx), isolation)) return;
  throw new ConfigurationError(`The storage "${tx.name}" has no transactions with the isolation "${isolation}".`);
}
