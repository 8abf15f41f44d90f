import type { ReadBounds } from "../query/readBounds.js";
import { translateError } from "./errors.js";
import type { SqlExecutor, SqlResult, SqlStatement } from "./executor.js";

/** An executor, and whether a transaction is open on it. */
export interface Session {
  readonly executor: SqlExecutor;
  readonly inTransaction: boolean;
  readonly readOnly?: boolean | undefined;
}

/**
 * Runs one statement.
 *
 * @throws {Retryable} @throws {Unavailable} @throws any other error of the driver
 */
export async function run({ executor, readOnly }: Session, statement: SqlStatement, bounds?: ReadBounds): Promise<SqlResult> {
  if (readOnly && statement.writes) throw new Error("Cannot write in a read-only transaction.");
  try {
    return await executor.query(statement, bounds);
  } catch (error) {
    throw translateError(error);
  }
}

/** Runs `work` in a transaction or savepoint. Errors of `work` are rethrown unchanged. */
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

/** Runs statements atomically, in the open transaction or in a new one. None of them may violate a constraint: that would abort the open transaction. */
export function joined<R>(session: Session, work: (session: Session) => Promise<R>): Promise<R> {
  return session.inTransaction ? work(session) : transact(session, work);
}

/** Runs a statement that may fail, inside a savepoint if the failure would abort the open transaction. */
export function runGuarded(session: Session, statement: SqlStatement): Promise<SqlResult> {
  if (session.executor.dialect !== "postgres" || !session.inTransaction) return run(session, statement);
  return transact(session, (inner) => run(inner, statement));
}
