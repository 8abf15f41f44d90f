import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import type { SqlStatement } from "../executor.js";
import type { PoolOfPg } from "./beside/ownConnection.js";
import { type LockWait, lockWaits } from "./lockHolders.js";
import { endStatement } from "./postgresCancel.js";
import type { PostgresClient, PostgresPool } from "./postgresPool.js";
import { pidOf, type WriteTurns, writeTurnsOf } from "./writeTurns.js";

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

const tickMs = 25;
/** Ticks for which a statement runs before the server may be asked whether it waits. Ticks do not pass while the event loop is held. */
const patience = 3;
/** The same for one that writes for several callers and waits for no row: only a locked table keeps it for that long, and then each caller takes the way of a write alone. */
const gatheredPatience = 20;
/** Ticks between two such questions, and before the second one when the first found a lock that may only be brief. */
const [pause, shortPause] = [6, 3];
/** Ticks after which a write that waits is cancelled. */
const maxTicks = 200;
/** Ticks for which a table counts as locked after statements were last seen to wait for it. */
const memory = 1_200;

const watches = new WeakMap<PostgresPool, LockWatch>();

/** The watch of a pool, which storages may share. */
export function lockWatchOf(pool: PostgresPool): LockWatch {
  const watch = watches.get(pool) ?? new LockWatch(pool);
  watches.set(pool, watch);
  return watch;
}

/**
 * Keeps statements that wait for locks of other programs from taking all connections of a pool: at most half of the connections wait. The server tells which statements do, so that
 * a table or row that is slow or busy is never taken for a locked one.
 */
export class LockWatch {
  readonly #pool: PostgresPool & PoolOfPg;
  readonly #turns: WriteTurns;
  readonly #sent = new Set<Sent>();
  /** The tables that statements wait for, as `tablesOf` names them, and the tick at which that was seen. */
  readonly #locked = new Map<string, number>();
  /** The transactions of other programs that statements waited for when the server was last asked. */
  #holders: ReadonlySet<string> = new Set();
  #now = 0;
  /** The tick from which on the server may be asked; of none while an answer is awaited. */
  #askFrom = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.#turns = writeTurnsOf(pool);
  }

  /** Refuses a statement whose table is locked, unless it is the only one that would notice the end of the lock. @throws {Unavailable} */
  refuse(statement: SqlStatement): void {
    if (this.#locked.size === 0) return;
    const tables = tablesOf(statement);
    if (!this.#locked.has(tables)) return;
    const waiting = [...this.#sent].map((each) => tablesOf(each.statement)).filter((each) => this.#locked.has(each));
    if (waiting.length >= this.#turns.mayWait && waiting.includes(tables)) throw lockedAway(statement);
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
      throw isCancelled ? lockedAway(statement, error) : error;
    } finally {
      this.#sent.delete(sent);
      if (sent.ending !== undefined) await sent.ending;
    }
  }

  readonly #look = (): void => {
    this.#now += 1;
    for (const [tables, seen] of this.#locked) if (this.#now - seen > memory) this.#locked.delete(tables);
    const { isNarrow } = this.#turns;
    if (this.#sent.size === 0 && this.#locked.size === 0 && !isNarrow) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (this.#now < this.#askFrom || !(isNarrow || this.#areManyLate())) return;
    this.#askFrom = Number.POSITIVE_INFINITY;
    void this.#endTooMany()
      .catch(() => {
        // Nothing is known, as behind a proxy: each statement then ends by its own limit of time.
        this.#turns.isNarrow = false;
        return pause;
      })
      .then((ticks) => {
        this.#askFrom = this.#now + ticks;
      });
  };

  /** Whether as many statements as may wait for locks have run for long enough to be asked about, or one that should not wait. */
  #areManyLate(): boolean {
    let late = 0;
    for (const { since, statement } of this.#sent) {
      if (this.#now - since > patience) late += 1;
      if (statement.isGathered && this.#now - since > gatheredPatience) return true;
    }
    return late >= this.#turns.mayWait;
  }

  /** @returns the ticks until the next question */
  async #endTooMany(): Promise<number> {
    const most = this.#turns.mayWait;
    const asked = [...this.#sent];
    const waits = await lockWaits(
      this.#pool,
      asked.map(({ client }) => pidOf(client)),
    );
    const [before, holders] = [this.#holders, new Set<string>()];
    const waiting: Sent[] = [];
    for (const each of asked) {
      const names = this.#holdersOf(waits.get(pidOf(each.client)));
      for (const name of names) holders.add(name);
      // A transaction that is seen twice is one that lasts. Short ones follow each other where a row is only busy.
      if (!names.some((name) => before.has(name)) || !this.#sent.has(each) || each.ending !== undefined) continue;
      if (each.statement.isGathered) each.ending = endStatement(each.client, each.answer);
      else waiting.push(each);
    }
    this.#holders = holders;
    if (waiting.length === 0) this.#turns.isNarrow = false;
    if (waiting.length >= most) this.#turns.isNarrow = true;
    else if (!this.#turns.isNarrow) return holders.size > 0 ? shortPause : pause;
    for (const { client, statement } of waiting) if (waits.get(pidOf(client))?.isTable) this.#locked.set(tablesOf(statement), this.#now);
    const late = waiting.filter(({ statement, since }, index) => index >= most || (statement.writes && this.#now - since > maxTicks));
    for (const each of late) each.ending = endStatement(each.client, each.answer);
    return pause;
  }

  /** Our own transactions go on by themselves. */
  #holdersOf(wait: LockWait | undefined): readonly string[] {
    return wait?.holders.filter(({ pid }) => !this.#turns.isOurs(pid)).map(({ name }) => name) ?? [];
  }
}

function lockedAway(statement: SqlStatement, cause?: unknown): Unavailable {
  const message = `Another program keeps a lock, and enough statements wait for it (${tablesOf(statement)}). Look for it in pg_locks.`;
  return new Unavailable(message, { cause, wroteNothing: true });
}

/** The tables of a statement, and whether it writes: reads may go on while writes wait. The text itself if it quotes no table. */
function tablesOf({ text, writes }: SqlStatement): string {
  const tables = text.match(/\b(?:from|into|update|join)\s+(?:"(?:[^"]|"")+"\.)?"(?:[^"]|"")+"/g);
  return `${writes ? "write" : "read"} ${tables === null ? text : [...new Set(tables)].join(" ")}`;
}
