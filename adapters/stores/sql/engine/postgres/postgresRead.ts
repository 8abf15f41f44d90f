import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import { type ReadBounds, ReadWatch } from "../../query/readBounds.js";
import type { SqlResult, SqlStatement } from "../executor.js";
import { lockWatchOf } from "./lockWatch.js";
import { endStatement } from "./postgresCancel.js";
import type { PostgresClient, PostgresPool, PostgresResult } from "./postgresPool.js";
import { runNamed, sendStatement, toResult } from "./sendStatement.js";
import type { StatementNames } from "./statementNames.js";

/**
 * Runs a reading statement on a connection of the pool. When a bound ends it, rejects at once and cancels the statement; the connection returns to the pool
 * when the statement has ended.
 *
 * A statement that may read many rows also gets its budget as `statement_timeout`, so that it ends even if this process dies before it can cancel it. A time that the
 * developer has set stays.
 *
 * @throws {QueryTimeout} @throws the reason of the signal
 */
export async function readWithin(pool: PostgresPool, names: StatementNames, statement: SqlStatement, bounds: ReadBounds): Promise<SqlResult> {
  const locks = lockWatchOf(pool);
  locks.refuse(statement);
  const watch = new ReadWatch(bounds);
  try {
    const connecting = pool.connect();
    const client = await watch.race(connecting).catch((error: unknown) => {
      // The pool may still open the connection: return it.
      connecting.then(
        (late) => late.release(),
        () => {},
      );
      throw error;
    });
    const inTransaction = statement.scans === true && bounds.budgetMs !== undefined;
    const ask = inTransaction ? () => askInTransaction(client, statement, bounds.budgetMs ?? 0) : () => runNamed(client, names, statement);
    return await readOn(client, () => locks.send(client, statement, ask), inTransaction, watch);
  } finally {
    watch.stop();
  }
}

async function askInTransaction(client: PostgresClient, statement: SqlStatement, budgetMs: number): Promise<PostgresResult> {
  await client.query({
    text: `begin read only; select set_config('statement_timeout', '${Math.ceil(budgetMs)}', true) where current_setting('statement_timeout') = '0'`,
  });
  const result = await sendStatement(client, statement);
  await client.query({ text: "commit" });
  return result;
}

async function readOn(client: PostgresClient, ask: () => Promise<PostgresResult>, inTransaction: boolean, watch: ReadWatch): Promise<SqlResult> {
  // A broken connection also emits an error event, which would crash the process without a listener.
  const ignore = () => {};
  client.on("error", ignore);
  const release = (destroy: boolean) => {
    client.removeListener("error", ignore);
    client.release(destroy);
  };
  const answer = ask();
  try {
    const result = toResult(await watch.race(answer));
    release(false);
    return result;
  } catch (error) {
    if (watch.hasEnded) void cancelAndRelease(client, answer, inTransaction, release);
    else release(inTransaction || !(error instanceof Unavailable));
    throw error;
  }
}

/** Releases the connection only after the server accepted the cancel request, which could otherwise cancel the next statement. */
async function cancelAndRelease(
  client: PostgresClient,
  answer: Promise<unknown>,
  inTransaction: boolean,
  release: (destroy: boolean) => void,
): Promise<void> {
  const hasEnded = await endStatement(client, answer);
  if (!hasEnded || !inTransaction) return release(!hasEnded);
  await client.query({ text: "rollback" }).then(
    () => release(false),
    () => release(true),
  );
}
