import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import type { SqlResult, SqlStatement } from "../executor.js";
import { type LockWatch, lockWatchOf } from "./lockWatch.js";
import { endStatement } from "./postgresCancel.js";
import { connectionOf, type PostgresPool } from "./postgresPool.js";
import { beginOn, usualConnection } from "./postgresTransaction.js";
import { runNamed, toResult } from "./sendStatement.js";
import type { StatementNames } from "./statementNames.js";
import { type WriteConnection, writeTurnsOf } from "./writeTurns.js";

/** How long a statement that writes one row, or one for each of some callers, may take, in milliseconds: only a lock of another program takes that long. */
const writeMs = 30_000;

/**
 * Runs a statement on a connection of the pool. One that writes one row is cancelled if it takes too long, and has written nothing.
 *
 * @throws {Unavailable} if it cannot be cancelled, or if too many statements wait for its table @throws the error of the server otherwise
 */
export async function runSingle(pool: PostgresPool, names: StatementNames, statement: SqlStatement): Promise<SqlResult> {
  const locks = lockWatchOf(pool);
  locks.refuse(statement);
  if (!statement.writes) return runOn(usualConnection(await connectionOf(pool)), locks, names, statement);
  const connection = await writeTurnsOf(pool).begin();
  return connection.waits === "usual" ? runOn(connection, locks, names, statement) : runBounded(connection, locks, names, statement);
}

/** In a transaction of its own, which can say how long it waits for locks. */
async function runBounded(connection: WriteConnection, locks: LockWatch, names: StatementNames, statement: SqlStatement): Promise<SqlResult> {
  const { tx, commit, rollBack } = await beginOn(connection, { names, locks: connection.waits === "brief" ? undefined : locks }, {});
  const result = await tx.query(statement).catch(async (error: unknown) => {
    await rollBack();
    throw error;
  });
  await commit();
  return result;
}

async function runOn(connection: WriteConnection, locks: LockWatch, names: StatementNames, statement: SqlStatement): Promise<SqlResult> {
  const { client } = connection;
  // A broken connection also emits an error event, which would crash the process without a listener.
  const ignore = () => {};
  client.on("error", ignore);
  const answer = locks.send(client, statement, () => runNamed(client, names, statement));
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    if (!statement.writes || !(statement.returns === "one" || statement.isGathered)) return;
    timer = setTimeout(async () => {
      isLate = true;
      if (await endStatement(client, answer)) return;
      reject(new Unavailable(`A write took longer than ${writeMs / 1_000} s, and the database did not end it. It may have been written.`));
    }, writeMs);
  });
  let isBroken = true;
  try {
    const result = toResult(await Promise.race([answer, lost]));
    // The cancel request of a late statement could hit the next one.
    isBroken = isLate;
    return result;
  } catch (error) {
    isBroken = isLate || !(error instanceof Unavailable || isRefusal(error));
    throw error;
  } finally {
    clearTimeout(timer);
    client.removeListener("error", ignore);
    connection.release(isBroken);
  }
}

/** SQLSTATEs that leave the connection as it is; codes of network errors have no digits. */
const refusals = /^(?!08|25|53|57|58|F0|XX)(?=.*\d)[\dA-Z]{5}$/;

/** Whether the server refused the statement. A new connection for each would cost several times the write, and clients can cause any number of them. */
function isRefusal(error: unknown): boolean {
  return refusals.test(String((error as { readonly code?: unknown }).code));
}
