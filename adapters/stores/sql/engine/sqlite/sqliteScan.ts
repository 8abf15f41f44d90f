import { turnIsOver, yieldToEventLoop } from "../../../../../src/ground/http/yieldToEventLoop.js";
import { QueryTimeout } from "../../../../../src/ground/storage/errors.js";
import type { ReadBounds } from "../../query/readBounds.js";
import type { SqlRow, SqlScan, SqlStatement } from "../executor.js";
import type { RowReading, SqliteConnection } from "./sqliteConnection.js";

/** A long read on one connection, in slices. SQLite runs on the thread of the event loop, which is blocked during each step. */
export class SqliteScan implements SqlScan {
  readonly isExclusive: boolean;
  readonly #connection: SqliteConnection;
  readonly #bounds: ReadBounds;
  readonly #leaving: "interrupt" | "finish" | "abandon";
  readonly #end: () => void;
  #endsAt = Number.POSITIVE_INFINITY;

  /**
   * @param isExclusive whether writes wait until the scan is closed
   * @param leaving how to end a statement early: `interrupt` it, if it is alone on its connection (libsql can only interrupt all statements); `finish` reading
   *   it, inside a transaction; `abandon` it in a memory database, where it blocks no write
   */
  constructor(connection: SqliteConnection, bounds: ReadBounds, isExclusive: boolean, leaving: "interrupt" | "finish" | "abandon", end: () => void) {
    this.#leaving = leaving;
    this.#connection = connection;
    this.#bounds = bounds;
    this.isExclusive = isExclusive;
    this.#end = end;
    this.renew();
  }

  renew(): void {
    const { budgetMs } = this.#bounds;
    if (budgetMs !== undefined) this.#endsAt = performance.now() + budgetMs;
  }

  readonly pause = async (): Promise<void> => {
    await yieldToEventLoop(this.#bounds.signal);
    if (performance.now() >= this.#endsAt) throw new QueryTimeout(this.#bounds.budgetMs);
  };

  async pauseIfOver(): Promise<void> {
    if (turnIsOver()) await this.pause();
  }

  async *rows({ text, values, bigints = false }: SqlStatement): AsyncGenerator<readonly SqlRow[], void, void> {
    await this.pause();
    yield* this.rest(this.#connection.step(text, values, bigints));
  }

  /** Reads the rest of a reading that was begun on the connection of this scan. */
  async *rest(reading: RowReading): AsyncGenerator<readonly SqlRow[], void, void> {
    let isDone = false;
    try {
      await this.pauseIfOver();
      let batch: SqlRow[] = [];
      // One row at a time: the engine may have to read many rows to find the next match.
      for (let [row] = reading.next(1); row !== undefined; [row] = reading.next(1)) {
        batch.push(row);
        if (!turnIsOver()) continue;
        yield batch;
        batch = [];
        await this.pauseIfOver();
      }
      isDone = true;
      if (batch.length > 0) yield batch;
    } finally {
      if (!isDone) await this.#leave(reading);
    }
  }

  async #leave(reading: RowReading): Promise<void> {
    // An open statement would hold the snapshot of a connection that is used again.
    if (this.#leaving === "finish") {
      while (reading.next(1).length > 0) if (turnIsOver()) await yieldToEventLoop();
    } else {
      reading.end(this.#leaving === "interrupt");
    }
  }

  async all({ text, values, bigints = false }: SqlStatement): Promise<readonly SqlRow[]> {
    await this.pauseIfOver();
    return this.#connection.all(text, values, bigints);
  }

  close(): void {
    this.#end();
  }
}

/** The most concurrent long reads; each has its own connection. */
const maxScans = 32;

/** Limits the number of concurrent long reads. The others wait in the order of their arrival. */
export class ScanSlots {
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  async enter(): Promise<void> {
    if (this.#taken >= maxScans) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#taken += 1;
  }

  /** Enters only if a slot is free. @returns whether it entered */
  enterNow(): boolean {
    if (this.#taken >= maxScans) return false;
    this.#taken += 1;
    return true;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }
}
