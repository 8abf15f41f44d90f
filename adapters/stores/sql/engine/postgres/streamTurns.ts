import { QueryTimeout, Unavailable } from "../../../../../src/ground/storage/errors.js";
import { type ReadBounds, ReadWatch, type StreamBounds } from "../../query/readBounds.js";
import { type PostgresPool, sizeOf } from "./postgresPool.js";

/** How long a stream waits for its turn if its caller has no limit of time, in milliseconds. */
const patienceMs = 5_000;

/** A stream that waits. */
interface Waiting {
  readonly share: number;
  readonly isBackground: boolean;
  /** Tells it that its turn has come. */
  begin: () => void;
}

const turns = new WeakMap<PostgresPool, StreamTurns>();

/** The turns of a pool, which storages may share. */
export function streamTurnsOf(pool: PostgresPool): StreamTurns {
  const found = turns.get(pool) ?? new StreamTurns();
  turns.set(pool, found);
  return found;
}

/** How many connections of a pool streams may hold: a third, and at least one, unless the developer has said it. */
export function mostStreams(pool: PostgresPool, maxStreams: number | undefined): number {
  return maxStreams ?? Math.max(1, Math.trunc(sizeOf(pool) / 3));
}

/**
 * Gives streams their share of the connections of a pool: each holds one for as long as its consumer takes. Those beyond the share wait in the order in which they came. Streams of
 * background work leave a connection of the share to those that a client waits for.
 */
export class StreamTurns {
  #open = 0;
  #inBackground = 0;
  readonly #waiting = new Set<Waiting>();

  /**
   * Waits for a turn: as long as a read may take, and in the background as long as it must.
   *
   * @returns ends the turn; to be called once
   * @throws {Unavailable} if there is none in time @throws the reason of the signal
   */
  async begin(share: number, { isBackground = false, ...bounds }: StreamBounds): Promise<() => void> {
    const waiting = { share, isBackground, begin: () => {} };
    if (this.#fits(waiting)) this.#enter(waiting);
    else await this.#wait(waiting, bounds);
    return () => this.#leave(waiting);
  }

  async #wait(waiting: Waiting, { signal, budgetMs = patienceMs }: ReadBounds): Promise<void> {
    const turn = new Promise<void>((resolve) => {
      waiting.begin = resolve;
    });
    this.#waiting.add(waiting);
    const watch = new ReadWatch({ signal, budgetMs: waiting.isBackground ? undefined : budgetMs });
    try {
      await watch.race(turn);
    } catch (error) {
      // Its turn may have come in the meantime.
      if (!this.#waiting.delete(waiting)) this.#leave(waiting);
      throw error instanceof QueryTimeout ? allTaken(waiting.share, error) : error;
    } finally {
      watch.stop();
    }
  }

  #fits({ share, isBackground }: Waiting): boolean {
    return this.#open < share && (!isBackground || this.#inBackground < Math.max(1, share - 1));
  }

  #enter({ isBackground }: Waiting): void {
    this.#open += 1;
    if (isBackground) this.#inBackground += 1;
  }

  #leave({ isBackground }: Waiting): void {
    this.#open -= 1;
    if (isBackground) this.#inBackground -= 1;
    const next = [...this.#waiting].find((each) => this.#fits(each));
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#enter(next);
    next.begin();
  }
}

function allTaken(share: number, cause: unknown): Unavailable {
  return new Unavailable(`Streams hold as many connections of the pool as they may (${share}). Raise "maxStreams", or export as a job.`, { cause });
}
