import { translateError } from "./errors.js";
import type { SqlExecutor, SqlResult, SqlStatement } from "./executor.js";

/** An executor as the stores use it: its errors are told apart, and it knows whether a transaction is open. */
export interface Session {
  readonly executor: SqlExecutor;
  readonly inTransaction: boolean;
  readonly readOnly?: boolean | undefined;
}

/**
 * Runs one statement.
 *
 * @throws {Retryable} @throws {Unavailable} or the driver's error where it is neither
 */
export async function run({ executor, readOnly }: Session, statement: SqlStatement): Promise<SqlResult> {
  if (readOnly && statement.writes) throw new Error("Cannot write in a transaction that was begun as read-only.");
  try {
    return await executor.query(statement);
  } catch (error) {
    throw translateError(error);
  }
}

/** Runs `work` in a transaction or savepoint. What `work` itself throws is passed on as it is. */
export async function transact<R>(
  { executor, readOnly }: Session,
  work: (session: Session) => Promise<R>,
  options: Parameters<SqlExecutor["transaction"]>[1] = {},
): Promise<R> {
  let thrown: { readonly error: unknown } | undefined;
  try {
    return await executor.transaction(async (tx) => {
      try {
        return await work({ executor: tx, inTransaction: true, readOnly: readOnly || options.readOnly });
      } catch (error) {
        thrown = { error };
        throw error;
      }
    }, options);
  } catch (error) {
    throw thrown?.error === error ? error : translateError(error);
  }
}

/** Runs statements that belong together, none of which may fail for what it says: in the open transaction, or in one of their own. */
export function joined<R>(session: Session, work: (session: Session) => Promise<R>): Promise<R> {
  return session.inTransaction ? work(session) : transact(session, work);
}

/** Runs a statement that may fail: where that would spoil the open transaction, inside a savepoint. */
export function runGuarded(session: Session, statement: SqlStatement): Promise<SqlResult> {
  if (session.executor.dialect !== "postgres" || !session.inTransaction) return run(session, statement);
  return transact(session, (inner) => run(inner, statement));
}
