import { Unavailable } from "../../../../../../src/ground/storage/errors.js";
import type { SqlResult, SqlStatement } from "../../executor.js";
import type { PostgresPool } from "../postgresPool.js";
import { runSingle } from "../postgresSingle.js";
import { runNamed, toResult } from "../sendStatement.js";
import { StatementNames } from "../statementNames.js";
import { discard, type OwnConnection, type PoolOfPg, within } from "./ownConnection.js";

/** A connection that has not answered for this long is given up, in milliseconds. */
const answerMs = 2_000;

/** A connection, and the statements that wait for it: a client of `pg` runs one at a time. */
interface Opened {
  readonly connection: Promise<OwnConnection | undefined>;
  /** Settles when the last statement has ended. */
  last: Promise<unknown>;
  isDropped: boolean;
}

/**
 * A connection beside the pool for short statements that others would otherwise keep waiting, such as counts of a rate limit under the burst that it is for. It is opened with the first
 * of them, and anew after it broke. A pool that is not from `pg` is used itself.
 */
export class PostgresSide {
  readonly #pool: () => Promise<PostgresPool>;
  readonly #names = new StatementNames();
  #opened: Opened | undefined;
  #isEnded = false;

  constructor(pool: () => Promise<PostgresPool>) {
    this.#pool = pool;
  }

  /** Runs a statement after those that came before it. @throws {Unavailable} if the connection is given up meanwhile @throws the error of the server */
  query(statement: SqlStatement): Promise<SqlResult> {
    if (this.#isEnded) return Promise.reject(new Unavailable("The PostgreSQL store is closed."));
    this.#opened ??= this.#open();
    const opened = this.#opened;
    const turn = opened.last.then(() => this.#answer(opened, statement));
    opened.last = turn.catch(() => {});
    return turn;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    const opened = this.#opened;
    if (opened === undefined) return;
    opened.isDropped = true;
    const closing = opened.connection.then((connection) => connection?.end());
    await within(answerMs, closing).catch(() => {});
  }

  async #answer(opened: Opened, statement: SqlStatement): Promise<SqlResult> {
    if (opened.isDropped) throw new Unavailable("The connection for rate limits was lost.");
    return within(answerMs, this.#send(opened, statement), () => {
      this.#drop(opened);
      return new Unavailable(`The connection for rate limits did not answer within ${answerMs} ms.`);
    });
  }

  async #send({ connection }: Opened, statement: SqlStatement): Promise<SqlResult> {
    const client = await connection;
    return client === undefined ? runSingle(await this.#pool(), this.#names, statement) : toResult(await runNamed(client, this.#names, statement));
  }

  #open(): Opened {
    const drop = () => this.#drop(opened);
    const opened: Opened = { connection: this.#connect(drop), last: Promise.resolve(), isDropped: false };
    opened.connection.catch(drop);
    return opened;
  }

  async #connect(drop: () => void): Promise<OwnConnection | undefined> {
    const { Client, options } = (await this.#pool()) as PoolOfPg;
    if (Client === undefined) return undefined;
    const connection = new Client(options);
    connection.on("error", drop);
    connection.on("end", drop);
    await connection.connect();
    // It alone keeps no process alive.
    connection.unref?.();
    return connection;
  }

  /** Gives a connection up, with all that waits for it. */
  #drop(opened: Opened): void {
    if (this.#opened === opened) this.#opened = undefined;
    if (opened.isDropped) return;
    opened.isDropped = true;
    opened.connection.then((connection) => connection && discard(connection)).catch(() => {});
  }
}
