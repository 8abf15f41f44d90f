import { setTimeout as sleep } from "node:timers/promises";
import { newHolder, type SqlPresence } from "../presence.js";
import { discard, type OwnConnection, type PoolOfPg, within } from "./ownConnection.js";
import type { PostgresPool } from "./postgresPool.js";

/** First key of the advisory locks; the second one is the holder. Any fixed number will do. */
const lockClass = 729_310_457;
/** A process that lost its connection has opened a new one by then, if it is alive. */
const graceMs = 1_000;
/** After which the lock is tried again: doubled each time, up to the most. */
const againMs = 250;
const mostAgainMs = 8_000;
/** How long it is believed that the own lock is there, once it was seen. */
const believedMs = 3_000;
/** After which a look that gets no answer has failed: a firewall may drop connections without a word. */
const lookMs = 2_000;
/** For so long after its own connection broke, a process judges no other: theirs may have broken too, and they find out within `believedMs`. */
const shakenMs = 10_000;

const locks =
  `select objid::bigint as holder, pid from pg_locks where locktype = 'advisory' and granted and objsubid = 2 and classid = ${lockClass} ` +
  "and database = (select oid from pg_database where datname = current_database())";

/**
 * The presence of processes on one PostgreSQL database. Each process holds an advisory lock on its own connection; the server releases the lock when the
 * connection ends, at the latest with the process.
 *
 * A lock is believed only while it is seen from the pool, where others look: behind a pooler that shares connections it ends with a connection of the pooler,
 * while its process lives. There presence stays unknown, leases of this process end by time only, and it judges no other.
 *
 * Other locks are looked up in `pg_locks`, never acquired: behind such a pooler, the same session could acquire a lock twice.
 */
export class PostgresPresence implements SqlPresence {
  readonly #pool: () => Promise<PostgresPool>;
  readonly #number = newHolder();
  #connection: OwnConnection | undefined;
  #looking: Promise<void> | undefined;
  #isKnown = false;
  #isShared = false;
  #isEnded = false;
  #seenMs = Number.NEGATIVE_INFINITY;
  #brokeMs = Number.NEGATIVE_INFINITY;

  constructor(pool: () => Promise<PostgresPool>) {
    this.#pool = pool;
  }

  async holder(): Promise<number | undefined> {
    const isFresh = this.#isKnown && performance.now() - this.#seenMs < believedMs;
    if (!isFresh && !this.#isEnded && !this.#isShared) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    return this.#isKnown ? this.#number : undefined;
  }

  async dead(holders: readonly number[]): Promise<readonly number[]> {
    const others = holders.filter((holder) => holder !== this.#number);
    const absent = await this.#absent(others);
    if (absent.length === 0) return absent;
    await sleep(graceMs, undefined, { ref: false });
    return this.#absent(absent);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#isKnown = false;
    await this.#looking;
    await this.#connection?.end().catch(() => {});
  }

  /** Those of the holders whose locks are not there; none where this process cannot see its own. */
  async #absent(holders: readonly number[]): Promise<readonly number[]> {
    if (holders.length === 0 || (await this.holder()) === undefined || performance.now() - this.#brokeMs < shakenMs) return [];
    const { rows } = await (await this.#pool()).query({ text: locks });
    const living = new Set(rows.map((row) => Number(row["holder"])));
    return living.has(this.#number) ? holders.filter((holder) => !living.has(holder)) : [];
  }

  /** Sees whether the lock is there, and takes it where it is not. Never rejects: the next lease looks again. */
  async #look(): Promise<void> {
    try {
      if (this.#connection !== undefined && !(await within(lookMs, this.#isSeen(this.#connection)))) this.#lose(this.#connection);
      if (this.#connection === undefined) await within(lookMs, this.#lock());
    } catch {
      // The server, or the way to it, is away.
      this.#isKnown = false;
    }
  }

  /** Whether the lock is there for those who look through the pool, on the connection of this process. */
  async #isSeen(connection: OwnConnection): Promise<boolean> {
    const askedMs = performance.now();
    const { rows } = await (await this.#pool()).query({ text: `${locks} and objid = ${this.#number}` });
    const isSeen = this.#connection === connection && rows.some(({ pid }) => Number(pid) === connection.processID);
    if (isSeen) [this.#isKnown, this.#seenMs] = [!this.#isEnded, askedMs];
    return isSeen;
  }

  /** Opens the connection and takes the lock. */
  async #lock(): Promise<void> {
    const pool = await this.#pool();
    const { Client, options } = pool as PoolOfPg;
    if (Client === undefined) return;
    // Fails before a connection is opened if the owner has ended the pool: then the lock could not be seen.
    await pool.query({ text: locks });
    const connection = this.#watched(new Client(options));
    try {
      await connection.connect();
      // The server tells a client which of its processes serves it. A pooler tells a number of its own.
      const [backend] = (await connection.query({ text: "select pg_backend_pid() as pid" })).rows;
      if (Number(backend?.["pid"]) !== connection.processID) return this.#giveUp(connection);
      // A shared lock: the server may not have noticed yet that the previous connection ended.
      await connection.query({ text: `select pg_advisory_lock_shared(${lockClass}, ${this.#number})` });
      connection.unref?.();
      // An earlier try that took too long may have succeeded meanwhile.
      if (this.#connection !== undefined) return discard(connection);
      this.#connection = connection;
      if (this.#isEnded || !(await this.#isSeen(connection))) throw new Error("The lock is not seen.");
    } catch (error) {
      if (this.#connection === connection) this.#connection = undefined;
      discard(connection);
      throw error;
    }
  }

  #giveUp(connection: OwnConnection): void {
    this.#isShared = true;
    discard(connection);
    const message =
      "PostgreSQL is behind a pooler, such as PgBouncer, so that processes cannot see whether others live. What a process that died was doing goes on when its lease ends, " +
      "after a minute, and not within seconds. Connect to the server itself to change that.";
    process.emitWarning(message, { code: "RESTWRIGHT_POOLER" });
  }

  #watched(connection: OwnConnection): OwnConnection {
    const lose = () => this.#lose(connection);
    connection.on("error", lose);
    connection.on("end", lose);
    return connection;
  }

  /** Takes the lock again, at once and then repeatedly until it succeeds, so that others do not regard this process as dead. */
  #lose(connection: OwnConnection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#isKnown = false;
    this.#brokeMs = performance.now();
    discard(connection);
    const again = (nextMs: number) => {
      if (this.#isEnded) return;
      void this.holder().then((holder) => {
        if (holder === undefined && !this.#isShared) setTimeout(again, nextMs, Math.min(nextMs * 2, mostAgainMs)).unref();
      });
    };
    again(againMs);
  }
}
