import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createPrivate } from "../../../ownerOnly.js";
import { newHolder, type SqlPresence } from "../presence.js";
import type { SqliteConnection, SqliteDriver } from "./sqliteConnection.js";

/**
 * The presence of processes on one SQLite file. Each process locks a small file beside it while it lives. The system releases the lock when the process dies;
 * unlike process ids, this works across containers and on every platform.
 *
 * SQLite takes the lock, with a transaction that never ends, so that other connections of this process cannot release it by accident.
 */
export class SqlitePresence implements SqlPresence {
  readonly #driver: SqliteDriver;
  readonly #path: string;
  #own: { readonly holder: number; readonly lock: SqliteConnection } | undefined;
  #isEnded = false;

  constructor(driver: SqliteDriver, path: string) {
    this.#driver = driver;
    this.#path = path;
  }

  async holder(): Promise<number | undefined> {
    if (this.#own !== undefined || this.#isEnded) return this.#own?.holder;
    this.#removeStale();
    // Before the lock, another process may remove the file as stale.
    for (let tries = 0; tries < 3 && this.#own === undefined; tries++) {
      const holder = newHolder();
      createPrivate(this.#file(holder));
      const lock = this.#lock(holder);
      if (lock === undefined) continue;
      if (existsSync(this.#file(holder))) this.#own = { holder, lock };
      else lock.close();
    }
    return this.#own?.holder;
  }

  async dead(holders: readonly number[]): Promise<readonly number[]> {
    return holders.filter((holder) => holder !== this.#own?.holder && this.#isDead(holder));
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    if (this.#own === undefined) return;
    rmSync(this.#file(this.#own.holder), { force: true });
    this.#own.lock.close();
    this.#own = undefined;
  }

  #isDead(holder: number): boolean {
    if (!existsSync(this.#file(holder))) return true;
    const lock = this.#lock(holder);
    lock?.close();
    return lock !== undefined;
  }

  /** Removes the files of processes that have ended: the files that can be locked. */
  #removeStale(): void {
    const folder = dirname(this.#path);
    const prefix = `${basename(this.#path)}-holder-`;
    for (const name of readdirSync(folder)) {
      const [, number] = name.startsWith(prefix) ? (/^(\d{1,10})$/.exec(name.slice(prefix.length)) ?? []) : [];
      const lock = number === undefined ? undefined : this.#lock(Number(number));
      if (lock === undefined) continue;
      rmSync(join(folder, name), { force: true });
      lock.close();
    }
  }

  /** @returns `undefined` if another connection holds the lock, or the file cannot be opened */
  #lock(holder: number): SqliteConnection | undefined {
    let connection: SqliteConnection | undefined;
    try {
      connection = this.#driver.open(this.#file(holder));
      connection.execute("pragma busy_timeout = 0");
      // Nothing is ever written, so a journal file is not needed.
      connection.execute("pragma journal_mode = memory");
      connection.execute("begin exclusive");
      return connection;
    } catch {
      connection?.close();
      return undefined;
    }
  }

  #file(holder: number): string {
    return `${this.#path}-holder-${holder}`;
  }
}
