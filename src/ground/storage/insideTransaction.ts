import { AsyncLocalStorage } from "node:async_hooks";
import { ConfigurationError } from "../problem/index.js";

/** Code of the developer that runs within a transaction. */
export interface TransactionPart {
  /** Whether the code still runs: after its end its calls are refused. */
  isOpen: boolean;
  /** Whether it has used the transaction. */
  isUsed?: boolean;
  /** Whether it has run SQL of its own, so that any row may have changed. */
  usesSql?: boolean;
  /** Whether it has read rows without a lock. */
  reads?: boolean;
  /** Whether it has locked a key or rows. */
  locks?: boolean;
  /** Whether it has written rows. */
  writes?: boolean;
  /** The transactions that it has nested and that have not ended. */
  nested?: number;
  /** The part whose code runs this one. */
  readonly outer?: TransactionPart | undefined;
  /** Logs the error of a call that nothing awaits. */
  readonly unawaited?: ((error: unknown) => void) | undefined;
  /** Called when the part ends. */
  atEnd?: (() => void)[];
}

interface Inside {
  readonly part: TransactionPart;
  readonly held: readonly unknown[];
  readonly outer: Inside | undefined;
}

const inside = /* @__PURE__ */ new AsyncLocalStorage<Inside>();

/** The parts that run now. */
const running = new Set<TransactionPart>();
let stopsSoon = false;

/**
 * Runs code of the developer within a transaction.
 *
 * @param held what others wait for until the transaction ends, such as the queue of a writer
 */
export function runInside<R>(part: TransactionPart, held: readonly unknown[], run: () => R): R {
  // A loop that was started within a transaction must not keep every transaction of its past.
  const outer = openInside();
  running.add(part);
  return inside.run({ part, held, outer }, run);
}

/** The innermost part that runs now. */
export function openPart(): TransactionPart | undefined {
  return openInside()?.part;
}

function openInside(): Inside | undefined {
  let within = inside.getStore();
  while (within !== undefined && !within.part.isOpen) within = within.outer;
  return within;
}

/** Ends a part: its calls are refused from now on. */
export function endPart(part: TransactionPart): void {
  if (!part.isOpen) return;
  part.isOpen = false;
  for (const end of part.atEnd ?? []) end();
  if (!running.delete(part) || running.size > 0 || stopsSoon) return;
  // The hooks of a slice run one after the other, and are tracked together.
  stopsSoon = true;
  queueMicrotask(stopTracking);
}

/** Until Node 22 every promise of the process costs more while a context is tracked, and only parts that run need it. */
function stopTracking(): void {
  stopsSoon = false;
  if (running.size === 0) inside.disable();
}

/**
 * Refuses to wait for something that the calling code holds itself.
 *
 * @param remedy what to call instead
 * @throws {ConfigurationError}
 */
export function requireOutside(waitedFor: object, remedy = '"tx"'): void {
  for (let each = inside.getStore(); each !== undefined; each = each.outer) {
    if (each.part.isOpen && each.held.includes(waitedFor))
      throw new ConfigurationError(`This call would wait for the transaction that it is made in; call ${remedy} instead.`);
  }
}

/**
 * Refuses the success of a transaction that has not awaited those that are nested in it: it would be unknown which of their writes are committed.
 *
 * @param nested how many have not ended
 * @throws {ConfigurationError}
 */
export function requireAwaited(nested = 0): void {
  if (nested > 0) throw new ConfigurationError("A nested transaction has not ended; await each call before its function returns.");
}

/** Why a store refuses a call on the storage of a transaction, or of one that is nested in it. */
export function transactionEnded(): ConfigurationError {
  return new ConfigurationError("The transaction has ended: its storage can no longer be used.");
}
