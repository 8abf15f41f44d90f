import { Unavailable } from "../../../../src/storage/errors.js";
import type { SqlStatement } from "../executor.js";
import type { PoolOfPg } from "./ownConnection.js";
import { endStatement } from "./postgresCancel.js";
import { type PostgresClient, type PostgresPool, sizeOf } from "./postgresPool.js";

/** A statement that the server has not answered yet. */
interface Sent {
  readonly statement: SqlStatement;
  readonly client: PostgresClient;
  readonly answer: Promise<unknown>;
  /** The tick at which it was sent. */
  readonly since: number;
  /** Settles when its cancel request can hit no later statement. */
  ending?: Promise<unknown> | undefined;
}

const tickMs = 250;
/** Ticks for which a statement may wait before the server is asked why. Ticks do not pass while the event loop is held. */
const patience = 3;
/** Ticks between two such questions. */
const pause = 4;
/** Ticks for which a table counts as locked after statements were last seen to wait for it. */
const memory = 120;

const watches = new WeakMap<PostgresPool, LockWatch>();

/** The watch of a pool, which storages may share. */
export function lockWatchOf(pool: PostgresPool): LockWatch {
  const watch = watches.get(pool) ?? new LockWatch(pool);
  watches.set(pool, watch);
  return watch;
}

/**
 * Keeps statements that wait for a locked table from taking all connections of a pool: at most half of the connections wait. The server tells which statements do, so that
 * a table that is slow or busy is never taken for a locked one.
 */
export class LockWatch {
  readonly #pool: PostgresPool & PoolOfPg;
  readonly #sent = new Set<Sent>();
  /** What waits, as `tablesOf` names it, and the tick at which that was seen. */
  readonly #locked = new Map<string, number>();
  #now = 0;
  /** The tick of the last answer; of none while one is awaited. */
  #askedAt = -pause;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Refuses a statement whose table is locked, unless it is the only one that would notice the end of the lock. @throws {Unavailable} */
  refuse(statement: SqlStatement): void {
    if (this.#locked.size === 0) return;
    const tables = tablesOf(statement);
    if (!this.#locked.has(tables)) return;
    const waiting = [...this.#sent].map((each) => tablesOf(each.statement)).filter((each) => this.#locked.has(each));
    if (waiting.length >= this.#most && waiting.includes(tables)) throw tableLocked(statement);
  }

  /** Sends a statement. @throws {Unavailable} if it was not sent or was cancelled; the connection is in order @throws the error of the server */
  async send<R>(client: PostgresClient, statement: SqlStatement, ask: () => Promise<R>): Promise<R> {
    this.refuse(statement);
    const sent: Sent = { client, statement, answer: ask(), since: this.#now };
    this.#sent.add(sent);
    this.#timer ??= setInterval(this.#look, tickMs).unref();
    try {
      const result = (await sent.answer) as R;
      if (this.#locked.size > 0) this.#locked.delete(tablesOf(statement));
      return result;
    } catch (error) {
      const isCancelled = sent.ending !== undefined && (error as { readonly code?: unknown }).code === "57014";
      throw isCancelled ? tableLocked(statement, error) : error;
    } finally {
      this.#sent.delete(sent);
      if (sent.ending !== undefined) await sent.ending;
    }
  }

  /** The most connections that may wait for locks. */
  get #most(): number {
    return Math.max(1, sizeOf(this.#pool) >>> 1);
  }

  readonly #look = (): void => {
    this.#now += 1;
    for (const [tables, seen] of this.#locked) if (this.#now - seen > memory) this.#locked.delete(tables);
    const [oldest] = this.#sent;
    if (oldest === undefined && this.#locked.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (oldest === undefined || !this.#isLate(oldest) || this.#sent.size < this.#most || this.#now - this.#askedAt < pause) return;
    this.#askedAt = Number.POSITIVE_INFINITY;
    // Without an answer nothing is known, as behind a proxy: each statement then ends by its own limit of time.
    void this.#endTooMany()
      .catch(() => {})
      .finally(() => {
        this.#askedAt = this.#now;
      });
  };

  async #endTooMany(): Promise<void> {
    const asked = [...this.#sent];
    const pids = await this.#whichWait(asked.map(pidOf));
    const waiting = asked.filter((each) => pids.has(pidOf(each)) && this.#sent.has(each) && each.ending === undefined);
    if (waiting.length < this.#most || !waiting.some((each) => this.#isLate(each))) return;
    for (const { statement } of waiting) this.#locked.set(tablesOf(statement), this.#now);
    for (const each of waiting.slice(this.#most)) each.ending = endStatement(each.client, each.answer);
  }

  #isLate({ since }: Sent): boolean {
    return this.#now - since > patience;
  }

  /** The processes of the server that wait for the lock of a table. Asked outside of the pool, which may have no connection left. */
  async #whichWait(pids: readonly unknown[]): Promise<ReadonlySet<unknown>> {
    const { Client, options } = this.#pool;
    if (Client === undefined) return new Set();
    const connection = new Client(options);
    connection.on("error", () => {});
    try {
      await connection.connect();
      const text = "select pid from pg_locks where locktype = 'relation' and not granted and pid = any($1::int[])";
      const { rows } = await connection.query({ text, values: [pids] });
      return new Set(rows.map((row) => Number(row["pid"])));
    } finally {
      void connection.end().catch(() => {});
    }
  }
}

function tableLocked(statement: SqlStatement, cause?: unknown): Unavailable {
  const message = `Another connection has locked a table, and enough statements wait for it (${tablesOf(statement)}). Look for the lock in pg_locks.`;
  return new Unavailable(message, { cause, wroteNothing: true });
}

function pidOf({ client }: Sent): unknown {
  return (client as { readonly processID?: unknown }).processID;
}

/** The tables of a statement, and whether it writes: reads may go on while writes wait. The text itself if it quotes no table. */
function tablesOf({ text, writes }: SqlStatement): string {
  const tables = text.match(/\b(?:from|into|update|join)\s+(?:"(?:[^"]|"")+"\.)?"(?:[^"]|"")+"/g);
  return `${writes ? "write" : "read"} ${tables === null ? text : [...new Set(tables)].join(" ")}`;
}
