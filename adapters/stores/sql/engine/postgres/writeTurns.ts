import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import { connectionOf, type PostgresClient, type PostgresPool, sizeOf } from "./postgresPool.js";

/** How long a write waits for its turn, in milliseconds: as long as its statements may wait for a lock. */
const patienceMs = 5_000;

/** A write that has a connection, or may ask the pool for one. */
interface Turn {
  client?: PostgresClient;
  /** Whether its statements may wait for a lock only for a moment. */
  readonly isBrief: boolean;
}

/** A connection for a write. */
export interface WriteConnection {
  readonly client: PostgresClient;
  /** How long its statements may wait for a lock: as usual, for five seconds even if they are outside of a transaction, or only for a moment. */
  readonly waits: "usual" | "bounded" | "brief";
  /** `true` closes the connection instead of returning it to the pool. */
  release(destroy: boolean): void;
}

const turns = new WeakMap<PostgresPool, WriteTurns>();

/** The turns of a pool, which storages may share. */
export function writeTurnsOf(pool: PostgresPool): WriteTurns {
  const found = turns.get(pool) ?? new WriteTurns(pool);
  turns.set(pool, found);
  return found;
}

/**
 * Gives writes their connections. Usually the pool does so alone. While the turns are narrow, because half of the connections wait for locks of other programs, so many writes may wait, and
 * the others have the rest of the pool, in which each of them finds out in a moment whether it would wait too. Those that have no turn wait here, where they keep no read from a connection.
 */
export class WriteTurns {
  readonly #pool: PostgresPool;
  readonly #turns = new Set<Turn>();
  /** What waits for a turn, or for the end of narrow turns. */
  readonly #waiting: ((turn: Turn | undefined) => void)[] = [];
  #isNarrow = false;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** How many connections of the pool may wait for locks of other programs. */
  get mayWait(): number {
    return Math.max(1, sizeOf(this.#pool) >>> 1);
  }

  get isNarrow(): boolean {
    return this.#isNarrow;
  }

  set isNarrow(isNarrow: boolean) {
    this.#isNarrow = isNarrow;
    this.#admit();
  }

  /** Whether a process of the server works for a write of this pool. */
  isOurs(pid: number): boolean {
    for (const { client } of this.#turns) if (client !== undefined && pidOf(client) === pid) return true;
    return false;
  }

  /** @throws {Unavailable} if there is no turn or no connection in time; it says that nothing was written */
  async begin(): Promise<WriteConnection> {
    for (;;) {
      const narrow = this.#isNarrow ? (this.#enter() ?? (await this.#wait())) : undefined;
      const client = await connectionOf(this.#pool).catch((error: unknown) => {
        if (narrow !== undefined) this.#leave(narrow);
        throw error;
      });
      if (narrow === undefined && this.#isNarrow) {
        // It came to the pool before the turns were narrow, and would go ahead of reads.
        client.release();
        continue;
      }
      const turn = narrow ?? this.#add(false);
      turn.client = client;
      const release = (destroy: boolean) => {
        this.#leave(turn);
        client.release(destroy);
      };
      return { client, waits: narrow === undefined ? "usual" : narrow.isBrief ? "brief" : "bounded", release };
    }
  }

  #add(isBrief: boolean): Turn {
    const turn = { isBrief };
    this.#turns.add(turn);
    return turn;
  }

  #enter(): Turn | undefined {
    let brief = 0;
    for (const { isBrief } of this.#turns) if (isBrief) brief += 1;
    if (this.#turns.size - brief < this.mayWait) return this.#add(false);
    return brief < sizeOf(this.#pool) - this.mayWait ? this.#add(true) : undefined;
  }

  #leave(turn: Turn): void {
    this.#turns.delete(turn);
    if (this.#waiting.length > 0) this.#admit();
  }

  /** The latest first: the others have probably waited for the lock that made the turns narrow. */
  #admit(): void {
    while (this.#waiting.length > 0) {
      const turn = this.#isNarrow ? this.#enter() : undefined;
      if (turn === undefined && this.#isNarrow) return;
      this.#waiting.pop()?.(turn);
    }
  }

  #wait(): Promise<Turn | undefined> {
    return new Promise((resolve, reject) => {
      const begin = (turn: Turn | undefined) => {
        clearTimeout(timer);
        resolve(turn);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        const message = "Other writes wait for locks of another program, and this one had no turn in time. Look for the locks in pg_locks.";
        reject(new Unavailable(message, { wroteNothing: true }));
      }, patienceMs);
      this.#waiting.push(begin);
    });
  }
}

/** The process of the server that serves a connection. Other clients than those of `pg` do not tell. */
export function pidOf(client: PostgresClient): unknown {
  return (client as { readonly processID?: unknown }).processID;
}
