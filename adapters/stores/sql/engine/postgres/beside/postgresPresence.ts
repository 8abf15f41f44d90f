import { setTimeout as sleep } from "node:timers/promises";
import { newHolder, type SqlPresence } from "../../presence.js";
import type { PostgresPool } from "../postgresPool.js";
import { type ConnectionUse, KeptConnection } from "./keptConnection.js";
import { type OwnConnection, within } from "./ownConnection.js";

/** First key of the advisory locks; the second one is the holder. Any fixed number will do. */
const lockClass = 729_310_457;
/** A process that lost its connection has opened a new one by then, if it is alive. */
const graceMs = 1_000;
/** How long it is believed that the own lock is there, once it was seen. */
const believedMs = 3_000;
/** How long one look serves all who ask which processes have vanished. */
const sharedMs = 3_400;
/** After which a look that gets no answer has failed. */
const lookMs = 2_000;
/** For so long after its own connection broke, a process judges no other: theirs may have broken too, and they find out within `believedMs`. */
const shakenMs = 10_000;

const locks =
  `select objid::bigint as holder, pid from pg_locks where locktype = 'advisory' and granted and objsubid = 2 and classid = ${lockClass} ` +
  "and database = (select oid from pg_database where datname = current_database())";

/** Which locks were there. */
interface Look {
  readonly atMs: number;
  readonly holders: ReadonlySet<number>;
  /** The server's processes with the lock of this process: two where the server has not noticed yet that its previous connection ended. */
  readonly ownPids: ReadonlySet<number>;
}

/**
 * The presence of processes on one PostgreSQL database. Each process holds an advisory lock on its own connection; the server releases the lock when the
 * connection ends, at the latest with the process.
 *
 * A lock is believed only while it is seen from the pool, where others look: behind a pooler that shares connections it ends with a connection of the pooler,
 * while its process lives. There presence stays unknown, leases of this process end by time only, and it judges no other.
 *
 * Other locks are looked up in `pg_locks`, never acquired: behind such a pooler, the same session could acquire a lock twice.
 */
export class PostgresPresence implements SqlPresence, ConnectionUse {
  readonly #pool: () => Promise<PostgresPool>;
  readonly #connection: KeptConnection;
  readonly #onVanished: () => void;
  readonly #number = newHolder();
  #checking: Promise<void> | undefined;
  #isKnown = false;
  #seenMs = Number.NEGATIVE_INFINITY;
  #brokeMs = Number.NEGATIVE_INFINITY;
  #last: Look | undefined;
  #asking: Promise<Look> | undefined;
  #vanished = 0;

  /**
   * @param connection on which the lock is held; ended with the presence
   * @param onVanished called when a look finds that a process has vanished
   */
  constructor(pool: () => Promise<PostgresPool>, connection = new KeptConnection(pool), onVanished = () => {}) {
    this.#pool = pool;
    this.#connection = connection;
    this.#onVanished = onVanished;
    connection.add(this);
  }

  async holder(): Promise<number | undefined> {
    const isFresh = this.#isKnown && performance.now() - this.#seenMs < believedMs;
    if (!isFresh && !this.#connection.isEnded && !this.#connection.isImpossible) {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
      await this.#checking;
    }
    return this.#isKnown ? this.#number : undefined;
  }

  async dead(holders: readonly number[]): Promise<readonly number[]> {
    const others = holders.filter((holder) => holder !== this.#number);
    const absent = await this.#absent(others, () => this.#sharedLook());
    if (absent.length === 0) return absent;
    await sleep(graceMs, undefined, { ref: false });
    return this.#absent(absent, () => this.#look());
  }

  async vanished(): Promise<number> {
    if (!this.#connection.isImpossible) await this.#sharedLook();
    return this.#vanished;
  }

  async end(): Promise<void> {
    this.#isKnown = false;
    await this.#connection.end();
    this.#isKnown = false;
  }

  /** Takes the lock on a new connection. A shared one: the server may not have noticed yet that the previous connection ended. */
  async begin(connection: OwnConnection): Promise<void> {
    await connection.query({ text: `select pg_advisory_lock_shared(${lockClass}, ${this.#number})` });
    if (!(await this.#isSeen(connection))) throw new Error("The lock is not seen.");
  }

  lost(): void {
    this.#isKnown = false;
    this.#brokeMs = performance.now();
  }

  /** Those of the holders whose locks are not there; none where this process cannot see its own. */
  async #absent(holders: readonly number[], look: () => Promise<Look>): Promise<readonly number[]> {
    if (holders.length === 0 || (await this.holder()) === undefined || performance.now() - this.#brokeMs < shakenMs) return [];
    const { holders: living } = await look();
    return living.has(this.#number) ? holders.filter((holder) => !living.has(holder)) : [];
  }

  /** Sees whether the lock is there, and takes it where it is not. Never rejects: the next lease checks again. */
  async #check(): Promise<void> {
    try {
      const { current } = this.#connection;
      if (current !== undefined && !(await within(lookMs, this.#isSeen(current)))) this.#connection.lose(current);
      await this.#connection.open();
    } catch {
      // The server, or the way to it, is away.
      this.#isKnown = false;
    }
  }

  /** Whether the lock is there for those who look through the pool, on the connection of this process. */
  async #isSeen({ processID }: OwnConnection): Promise<boolean> {
    const { atMs, ownPids } = await this.#look();
    const isSeen = ownPids.has(Number(processID));
    if (isSeen) [this.#isKnown, this.#seenMs] = [!this.#connection.isEnded, atMs];
    return isSeen;
  }

  /** One look for all who ask within some seconds. */
  async #sharedLook(): Promise<Look> {
    if (this.#last !== undefined && performance.now() - this.#last.atMs < sharedMs) return this.#last;
    this.#asking ??= this.#look().finally(() => {
      this.#asking = undefined;
    });
    const look = await this.#asking;
    const { current } = this.#connection;
    if (this.#isKnown && current !== undefined && look.ownPids.has(Number(current.processID))) this.#seenMs = Math.max(this.#seenMs, look.atMs);
    return look;
  }

  async #look(): Promise<Look> {
    const atMs = performance.now();
    const { rows } = await (await this.#pool()).query({ text: locks });
    const all = rows.map((row) => ({ holder: Number(row["holder"]), pid: Number(row["pid"]) }));
    const ownPids = all.filter(({ holder }) => holder === this.#number).map(({ pid }) => pid);
    const look = { atMs, holders: new Set(all.map(({ holder }) => holder)), ownPids: new Set(ownPids) };
    if (this.#last !== undefined && this.#last.atMs >= atMs) return look;
    const vanished = [...(this.#last?.holders ?? [])].filter((holder) => !look.holders.has(holder)).length;
    this.#vanished += vanished;
    this.#last = look;
    if (vanished > 0) this.#onVanished();
    return look;
  }
}
