import { setTimeout as sleep } from "node:timers/promises";
import { newHolder, type SqlPresence } from "../presence.js";
import type { OwnConnection, PoolOfPg } from "./ownConnection.js";
import type { PostgresPool } from "./postgresPool.js";

/** First key of the advisory locks; the second one is the holder. Any fixed number will do. */
const lockClass = 729_310_457;
/** A process that lost its connection has opened a new one by then, if it is alive. */
const graceMs = 1_000;
const againMs = 250;

/**
 * The presence of processes on one PostgreSQL database. Each process holds an advisory lock on its own connection; the server releases the lock when the
 * connection ends, at the latest with the process.
 *
 * Other locks are looked up in `pg_locks`, never acquired: behind a proxy that shares connections, the same session could acquire a lock twice.
 */
export class PostgresPresence implements SqlPresence {
  readonly #pool: () => Promise<PostgresPool>;
  readonly #number = newHolder();
  #connection: OwnConnection | undefined;
  #locking: Promise<void> | undefined;
  #isKnown = false;
  #isEnded = false;

  constructor(pool: () => Promise<PostgresPool>) {
    this.#pool = pool;
  }

  async holder(): Promise<number | undefined> {
    if (!this.#isKnown && !this.#isEnded) {
      this.#locking ??= this.#lock().finally(() => {
        this.#locking = undefined;
      });
      await this.#locking;
    }
    return this.#isKnown ? this.#number : undefined;
  }

  async dead(holders: readonly number[]): Promise<readonly number[]> {
    const absent = await this.#absent(holders);
    if (absent.length === 0) return absent;
    await sleep(graceMs, undefined, { ref: false });
    return this.#absent(absent);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#isKnown = false;
    await this.#locking;
    await this.#connection?.end().catch(() => {});
  }

  async #absent(holders: readonly number[]): Promise<readonly number[]> {
    const others = holders.filter((holder) => holder !== this.#number);
    if (others.length === 0) return others;
    const database = "(select oid from pg_database where datname = current_database())";
    const text =
      `select objid::bigint as holder from pg_locks where locktype = 'advisory' and granted and objsubid = 2 and classid = ${lockClass} ` +
      `and database = ${database}`;
    const { rows } = await (await this.#pool()).query({ text });
    const living = new Set(rows.map((row) => Number(row["holder"])));
    return others.filter((holder) => !living.has(holder));
  }

  /** Opens the connection and takes the lock. Never rejects: the next lease tries again. */
  async #lock(): Promise<void> {
    let connection: OwnConnection | undefined;
    try {
      const { Client, options } = (await this.#pool()) as PoolOfPg;
      if (Client === undefined) return;
      connection = this.#watched(new Client(options));
      await connection.connect();
      this.#connection = connection;
      // A shared lock: the server may not have noticed yet that the previous connection ended.
      await connection.query({ text: `select pg_advisory_lock_shared(${lockClass}, ${this.#number})` });
      connection.unref?.();
      this.#isKnown = this.#connection === connection && !this.#isEnded;
    } catch {
      await connection?.end().catch(() => {});
    }
  }

  #watched(connection: OwnConnection): OwnConnection {
    const lose = () => {
      if (this.#connection === connection) this.#lose();
    };
    connection.on("error", lose);
    connection.on("end", lose);
    return connection;
  }

  /** Takes the lock again, at once and then repeatedly until it succeeds, so that others do not regard this process as dead. */
  #lose(): void {
    this.#connection = undefined;
    if (!this.#isKnown) return;
    this.#isKnown = false;
    const again = () => {
      if (this.#isEnded) return;
      void this.holder().then((holder) => {
        if (holder === undefined) setTimeout(again, againMs).unref();
      });
    };
    again();
  }
}
