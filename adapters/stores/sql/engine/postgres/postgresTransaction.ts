import { Retryable } from "../../../../../src/ground/storage/errors.js";
import type { Isolation } from "../../../../../src/ground/storage/isolation.js";
import { type ReadBounds, ReadWatch } from "../../query/readBounds.js";
import type { SqlExecutor, SqlResult, SqlRow, SqlStatement, SqlTransactionOptions } from "../executor.js";
import { TransactionLevel, uniqueName } from "../transactionLevel.js";
import { type LockWatch, lockWatchOf } from "./lockWatch.js";
import { endStatement } from "./postgresCancel.js";
import { isolationOn, isolationText } from "./postgresIsolation.js";
import { connectionOf, type PostgresClient, type PostgresPool, type PostgresResult, valueTypes } from "./postgresPool.js";
import { sendStatement, toQuery, toResult } from "./sendStatement.js";
import type { StatementNames } from "./statementNames.js";
import { type WriteConnection, writeTurnsOf } from "./writeTurns.js";

/** What all levels of a transaction have in common. */
interface Begun {
  readonly client: PostgresClient;
  readonly names: StatementNames;
  readonly isolation: Isolation;
  /** `undefined` if its statements wait for locks as long as those are held. */
  readonly locks: LockWatch | undefined;
}

/** An open transaction on a connection of its own, or a savepoint within one. */
export class PostgresTransaction implements SqlExecutor {
  readonly dialect = "postgres";
  readonly isolation: Isolation;
  readonly #begun: Begun;
  readonly #client: PostgresClient;
  readonly #names: StatementNames;
  readonly #locks: LockWatch | undefined;
  readonly #level: TransactionLevel;

  constructor(begun: Begun, level?: TransactionLevel) {
    const { client, names, isolation, locks } = begun;
    this.isolation = isolation;
    this.#begun = begun;
    this.#client = client;
    this.#names = names;
    this.#locks = locks;
    this.#level = level ?? new TransactionLevel((text) => client.query({ text }));
  }

  async query(statement: SqlStatement, bounds?: ReadBounds): Promise<SqlResult> {
    const name = this.#names.knownName(statement);
    try {
      const ask = () => sendStatement(this.#client, statement, name);
      return toResult(await this.#turn(() => this.#send(statement, ask), statement.writes ? undefined : bounds));
    } catch (error) {
      if (name === undefined || !this.#names.failed(error)) throw error;
      throw new Retryable("The database does not know a statement that it was sent before. Run the same transaction again.", { cause: error });
    }
  }

  /** Sends a statement when it is its turn. The turn lasts until the connection is free, also where a bound ends the statement. */
  #turn(ask: () => Promise<PostgresResult>, bounds: ReadBounds | undefined): PostgresResult | Promise<PostgresResult> {
    return this.#level.turn(() => (bounds === undefined ? ask() : this.#read(ask(), bounds)));
  }

  #send(statement: SqlStatement, ask: () => Promise<PostgresResult>): Promise<PostgresResult> {
    return this.#locks === undefined ? ask() : this.#locks.send(this.#client, statement, ask);
  }

  /** If a bound ends the read, rejects only after the statement ended on the server, so that the cancel request cannot hit the next statement. */
  async #read(answer: Promise<PostgresResult>, bounds: ReadBounds): Promise<PostgresResult> {
    const watch = new ReadWatch(bounds);
    try {
      return await watch.race(answer);
    } catch (error) {
      if (watch.hasEnded && !(await endStatement(this.#client, answer))) await answer.catch(() => {});
      throw error;
    } finally {
      watch.stop();
    }
  }

  transaction<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    return this.#level.nest((level) => run(new PostgresTransaction(this.#begun, level)));
  }

  async *stream(statement: SqlStatement, batchRows: number, bounds: ReadBounds = {}): AsyncGenerator<readonly SqlRow[], void, void> {
    const cursor = uniqueName("stream");
    const declaring = { ...toQuery(statement), text: `declare ${cursor} no scroll cursor for ${statement.text}` };
    const fetching = { text: `fetch ${Math.trunc(batchRows)} from ${cursor}`, types: valueTypes };
    await this.#turn(() => this.#send(statement, () => this.#client.query(declaring)), bounds);
    for (;;) {
      const { rows } = await this.#turn(() => this.#client.query(fetching), bounds);
      if (rows.length > 0) yield rows;
      if (rows.length < batchRows) break;
    }
    await this.#turn(() => this.#client.query({ text: `close ${cursor}` }), undefined);
  }

  /** Runs `run` with this transaction, and rejects statements after its end. */
  bracket<R>(run: (tx: SqlExecutor) => Promise<R>): Promise<R> {
    return this.#level.run(() => run(this));
  }
}

/** A transaction on its own connection. The caller must commit it or roll it back. */
export interface OpenTransaction {
  readonly tx: PostgresTransaction;
  /** @throws {Error} if the server rolled back instead */
  commit(): Promise<void>;
  /** Never rejects: closes the connection if the rollback fails. */
  rollBack(): Promise<void>;
}

export async function beginTransaction(pool: PostgresPool, names: StatementNames, options: SqlTransactionOptions): Promise<OpenTransaction> {
  const waitsForRows = !options.readOnly && !options.waitsForLocks;
  const connection = waitsForRows ? await writeTurnsOf(pool).begin() : usualConnection(await connectionOf(pool));
  const locks = options.waitsForLocks || connection.waits === "brief" ? undefined : lockWatchOf(pool);
  return beginOn(connection, { names, locks }, options);
}

export function usualConnection(client: PostgresClient): WriteConnection {
  return { client, waits: "usual", release: (destroy) => client.release(destroy) };
}

/** Begins a transaction on a connection, which it releases at its end. */
export async function beginOn(
  connection: WriteConnection,
  { names, locks }: Pick<Begun, "names" | "locks">,
  options: SqlTransactionOptions,
): Promise<OpenTransaction> {
  const { client } = connection;
  // A connection that breaks between two queries emits an error event; the next query then fails, too.
  const ignore = () => {};
  client.on("error", ignore);
  const release = (destroy: boolean) => {
    client.removeListener("error", ignore);
    connection.release(destroy);
  };
  const rollBack = () =>
    client.query({ text: "rollback" }).then(
      () => release(false),
      () => release(true),
    );
  const commit = async () => {
    const { command } = await client.query({ text: "commit" }).catch(async (error: unknown) => {
      await rollBack();
      throw error;
    });
    release(false);
    if (command === "ROLLBACK") throw new Error("The transaction was rolled back: one of its statements failed, and the caller ignored the error.");
  };
  let isolation: Isolation;
  try {
    isolation = await isolationOn(client, options.isolation);
    await client.query({ text: beginText(isolation, options, connection.waits) });
  } catch (error) {
    release(true);
    throw error;
  }
  return { tx: new PostgresTransaction({ client, names, isolation, locks }), commit, rollBack };
}

/**
 * What a transaction that writes has as limits, in milliseconds, where the developer has set none: how long a statement waits for a lock, and how long the server waits for the next
 * statement. A process that is suspended would otherwise keep its locks until it goes on.
 */
const limits = { lock_timeout: 5_000, idle_in_transaction_session_timeout: 60_000 };
const setLimits = Object.entries(limits)
  .map(([name, ms]) => `; select set_config('${name}', '${ms}', true) where current_setting('${name}') = '0'`)
  .join("");

/** Also if the developer has set a longer time: other writes wait for a connection. */
const setBriefWait = "; select set_config('lock_timeout', '20', true)";

function beginText(
  isolation: Isolation,
  { readOnly = false, waitsForLocks = false }: SqlTransactionOptions,
  waits: WriteConnection["waits"],
): string {
  // Not "read write": a database that its administrator has made read-only, such as one whose disk is full, stays so.
  return `begin ${isolationText(isolation)}${readOnly ? " read only" : ""}${readOnly || waitsForLocks ? "" : setLimits}${waits === "brief" ? setBriefWait : ""}`;
}
