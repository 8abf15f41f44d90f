import type { PostgresPool } from "../postgresPool.js";
import { discard, type OwnConnection, type PoolOfPg, within } from "./ownConnection.js";

/** After which a lost connection is opened again, in milliseconds: doubled each time, up to the most. */
const againMs = 250;
const maxAgainMs = 8_000;
/** After which an attempt that gets no answer has failed: a firewall may drop connections without a word. */
const openMs = 2_000;

/** What the connection of a process is for. */
export interface ConnectionUse {
  /** Called with a new connection before it counts as open. If it rejects, the connection is given up. */
  begin(connection: OwnConnection): Promise<void>;
  /** Called when the connection ended. */
  lost(): void;
}

/**
 * The connection of a process beside its pool: it is opened when something first needs it, and again after it was lost. There is none with a pool that is not from `pg`, and none behind a pooler,
 * such as PgBouncer, which may give each statement another connection of the server.
 */
export class KeptConnection {
  readonly #pool: () => Promise<PostgresPool>;
  readonly #uses: ConnectionUse[] = [];
  #current: OwnConnection | undefined;
  #opening: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  #isImpossible = false;
  #isEnded = false;

  constructor(pool: () => Promise<PostgresPool>) {
    this.#pool = pool;
  }

  /** The open connection. */
  get current(): OwnConnection | undefined {
    return this.#current;
  }

  /** Whether there can be no connection. Unknown, and `false`, before the first attempt. */
  get isImpossible(): boolean {
    return this.#isImpossible;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  add(use: ConnectionUse): void {
    this.#uses.push(use);
  }

  /** Opens the connection if there is none. Never rejects. @returns `undefined` if there is none now */
  async open(): Promise<OwnConnection | undefined> {
    if (this.#current !== undefined || this.#isImpossible || this.#isEnded) return this.#current;
    this.#opening ??= within(openMs, this.#open())
      .catch(() => {})
      .finally(() => {
        this.#opening = undefined;
      });
    await this.#opening;
    return this.#current;
  }

  /** Opens the connection, and tries again until that succeeds. */
  keep(nextMs = againMs): void {
    clearTimeout(this.#again);
    this.#again = undefined;
    void this.open().then((connection) => {
      if (connection !== undefined || this.#isImpossible || this.#isEnded) return;
      this.#again ??= setTimeout(() => this.keep(Math.min(nextMs * 2, maxAgainMs)), nextMs).unref();
    });
  }

  /** Gives a connection up that ended, or no longer answers, and opens another. */
  lose(connection: OwnConnection): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    discard(connection);
    for (const use of this.#uses) use.lost();
    if (!this.#isEnded) this.keep();
  }

  /** Ends the connection. It is opened again when something needs it. */
  async release(): Promise<void> {
    clearTimeout(this.#again);
    this.#again = undefined;
    await this.#opening;
    const connection = this.#current;
    this.#current = undefined;
    await connection?.end().catch(() => {});
  }

  /** Ends the connection; it is not opened again. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#again);
    await this.#opening;
    await this.#current?.end().catch(() => {});
  }

  async #open(): Promise<void> {
    const pool = await this.#pool();
    const { Client, options } = pool as PoolOfPg;
    if (Client === undefined) {
      this.#isImpossible = true;
      return;
    }
    // Fails before a connection is opened if the owner has ended the pool.
    await pool.query({ text: "select 1" });
    const connection = this.#watched(new Client(options));
    try {
      await connection.connect();
      // The server tells a client which of its processes serves it. A pooler tells a number of its own.
      const [backend] = (await connection.query({ text: "select pg_backend_pid() as pid" })).rows;
      if (Number(backend?.["pid"]) !== connection.processID) return this.#giveUp(connection);
      // An earlier attempt that took too long may have succeeded meanwhile.
      if (this.#current !== undefined || this.#isEnded) return discard(connection);
      for (const use of this.#uses) await use.begin(connection);
      connection.unref?.();
      if (this.#current !== undefined || this.#isEnded) return discard(connection);
      this.#current = connection;
    } catch (error) {
      discard(connection);
      throw error;
    }
  }

  #watched(connection: OwnConnection): OwnConnection {
    const lose = () => this.lose(connection);
    connection.on("error", lose);
    connection.on("end", lose);
    return connection;
  }

  #giveUp(connection: OwnConnection): void {
    this.#isImpossible = true;
    discard(connection);
    const message =
      "PostgreSQL is behind a pooler, such as PgBouncer, so that processes cannot see whether others live, nor hear of new work. What a process that died was doing goes on when its lease ends, " +
      "after a minute, and not within seconds; work of other processes is found by polls, every 5 seconds. Connect to the server itself to change that, or give `wakeups` to createService.";
    process.emitWarning(message, { code: "RESTWRIGHT_POOLER" });
  }
}
