import type { TransactionOptions } from "../../../../src/ground/storage/storage.js";
import type { GatheredGets } from "../query/gatheredGets.js";
import type { ReadBounds } from "../query/readBounds.js";
import type { GatheredWrites } from "../write/gathered/gatheredWrites.js";
import type { Dialect } from "./dialect.js";
import { refusedCommit, translateError, withoutEffect } from "./errors.js";
import type { SqlExecutor, SqlResult, SqlStatement, SqlTransactionOptions } from "./executor.js";

/** An executor, its SQL, and whether a transaction is open on it. */
export interface Session {
  readonly executor: SqlExecutor;
  readonly dialect: Dialect;
  readonly inTransaction: boolean;
  readonly readOnly?: boolean | undefined;
  /** Whether deferred constraints are left to the commit: by the wish of a caller, or in a transaction that the caller opened. */
  readonly defersConstraints?: boolean | undefined;
  /** The transaction that this one is a savepoint of. */
  readonly above?: Session | undefined;
  /** Sends gets that wait at the same time together; only outside of transactions, and where the executor lets it. */
  readonly gets?: GatheredGets | undefined;
  /** The same for writes. */
  readonly writes?: GatheredWrites | undefined;
}

/**
 * Runs one statement.
 *
 * @throws {Retryable} @throws {Unavailable} @throws any other error of the driver
 */
export async function run(
  { executor, readOnly }: { readonly executor: Pick<SqlExecutor, "query"> } & Pick<Session, "readOnly">,
  statement: SqlStatement,
  bounds?: ReadBounds,
): Promise<SqlResult> {
  if (readOnly && statement.writes) throw new Error("Cannot write in a read-only transaction.");
  try {
    return await executor.query(statement, bounds);
  } catch (error) {
    throw translateError(error, statement);
  }
}

/**
 * Runs `work` in a transaction or savepoint. Errors of `work` are rethrown unchanged, except that an `Unavailable` then says that nothing was written.
 *
 * @throws {WriteRefused} if a deferred constraint refuses the commit
 */
export async function transact<R>(
  session: Session,
  work: (session: Session) => Promise<R>,
  options: TransactionOptions & Pick<SqlTransactionOptions, "waitsForLocks"> = {},
): Promise<R> {
  const { executor, inTransaction } = session;
  if (inTransaction && options.deferConstraints) throw new Error('A savepoint has no option "deferConstraints".');
  let thrown: { readonly error: unknown } | undefined;
  let isCommitting = false;
  try {
    return await executor.transaction(async (tx) => {
      const inner: Session = {
        executor: tx,
        dialect: session.dialect,
        inTransaction: true,
        readOnly: session.readOnly || options.readOnly,
        defersConstraints: session.defersConstraints || options.deferConstraints,
        above: session,
      };
      try {
        isCommitting = false;
        const result = await work(inner);
        isCommitting = !inTransaction;
        return result;
      } catch (error) {
        thrown = { error };
        throw error;
      }
    }, options);
  } catch (error) {
    if (thrown?.error === error) throw inTransaction ? error : withoutEffect(error);
    const translated = (inTransaction ? undefined : refusedCommit(error)) ?? translateError(error);
    throw isCommitting ? translated : withoutEffect(translated);
  }
}

/** Runs statements atomically, in the open transaction or in a new one. None of them may violate a constraint: that would abort the open transaction. */
export function joined<R>(session: Session, work: (session: Session) => Promise<R>): Promise<R> {
  return session.inTransaction ? work(session) : transact(session, work);
}

/** Runs a statement that may fail, inside a savepoint if the failure would abort the open transaction. */
export function runGuarded(session: Session, statement: SqlStatement): Promise<SqlResult> {
  if (!session.dialect.failureEndsTransaction || !session.inTransaction) return run(session, statement);
  return transact(session, (inner) => run(inner, statement));
}
