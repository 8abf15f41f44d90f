import { Retryable } from "../../../../src/ground/storage/errors.js";
import { requireAwaited } from "../../../../src/ground/storage/insideTransaction.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Storage, TransactionOptions } from "../../../../src/ground/storage/storage.js";
import { type Layer, TransactionLayer } from "../layer.js";
import type { Table } from "../rows/table.js";
import { storageOver } from "../storage.js";
import { changesOf } from "./changes.js";
import type { Held } from "./locks.js";
import type { Transaction, Transactions } from "./transactions.js";
import type { Ending, Turns } from "./turns.js";

/** What all sessions of a store share. */
export interface Shared {
  readonly turns: Turns;
  readonly transactions: Transactions;
  readonly tableOf: (model: CollectionModel) => Table;
}

/** One call of the store. */
export interface SessionCall<R> {
  readonly label: string;
  run(storage: Storage): Promise<R>;
  /** What it holds from then on, besides what it writes. */
  holds?(result: R): readonly Held[];
  /** What no other transaction may hold, although it neither writes nor holds it. @param layer what it has read and written */
  awaits?(result: R, layer: TransactionLayer): readonly Held[];
  /** The names of the rows and tables that it has read. */
  reads?(layer: TransactionLayer): Iterable<string>;
  /** What came of it, for the order. */
  describe?(result: R): string | undefined;
}

/** Calls outside of transactions, of one transaction, or of one that is nested in it. */
export class Session implements Ending {
  readonly shared: Shared;
  readonly tx: Transaction | undefined;
  readonly #layer: Layer;
  /** The nested transactions that have not ended, and the one of them that runs. */
  #nested = 0;
  #running: Session | undefined;
  isOver = false;

  constructor(shared: Shared, layer: Layer, tx: Transaction | undefined) {
    this.shared = shared;
    this.#layer = layer;
    this.tx = tx;
  }

  /**
   * Runs a call in a turn. What it does is kept if no other transaction holds what it has written or wants to hold; otherwise it is discarded, and the call runs again when
   * they have ended.
   *
   * @throws {Retryable}
   */
  async call<R>(call: SessionCall<R>): Promise<R> {
    let waitsFor: readonly Ending[] = [];
    for (;;) {
      const done = await this.#turn(
        call.label,
        () => waitsFor,
        async () => {
          this.#layer.assertOpen();
          const layer = new TransactionLayer(this.#layer, false);
          const result = await call.run(storageOver(layer, this.shared.tableOf));
          const awaited = call.awaits?.(result, layer) ?? [];
          waitsFor = await this.#keep(layer, call.holds?.(result) ?? [], awaited);
          if (waitsFor.length > 0) return undefined;
          this.tx?.addReads([...(call.reads?.(layer) ?? []), ...awaited.map(({ name }) => name)]);
          const outcome = call.describe?.(result);
          if (outcome !== undefined) this.shared.turns.note(outcome);
          return { result };
        },
      );
      if (done !== undefined) return done.result;
    }
  }

  /** Waits until no other transaction holds the key, and holds it until this one ends. */
  lock(key: string): Promise<void> {
    return this.call({ label: `lock ${key}`, run: async () => {}, holds: () => [{ name: `lock ${key}`, mode: "update" }] });
  }

  /** Runs a transaction, or nests one in that of this session. */
  transaction<R>(run: (inner: Session) => Promise<R>, options: TransactionOptions = {}): Promise<R> {
    return this.tx === undefined ? this.#begin(run, options) : this.#nest(this.tx, run, options);
  }

  /** Keeps what a call has done, or returns what it has to wait for. */
  async #keep(layer: TransactionLayer, wanted: readonly Held[], awaited: readonly Held[]): Promise<readonly Ending[]> {
    const { tx, shared } = this;
    const changes = changesOf(layer);
    // As on one connection, a write does not belong to a nested transaction that runs.
    if (changes.length > 0 && this.#running !== undefined) return this.#runningOnes();
    const held = [...changes, ...wanted];
    const all = [...held, ...awaited];
    const holders = shared.transactions.holders(tx, all);
    if (holders.length > 0) {
      shared.turns.note(`(waits for ${holders.map(({ number }) => `tx ${number}`).join(", ")})`);
      return holders;
    }
    tx?.requireCurrent(all);
    if (tx === undefined) await shared.transactions.commit(layer);
    else {
      shared.transactions.hold(tx, held);
      await layer.commit();
    }
    return [];
  }

  async #begin<R>(run: (inner: Session) => Promise<R>, { signal, readOnly = false, isolation = "committed" }: TransactionOptions): Promise<R> {
    const { turns, transactions } = this.shared;
    signal?.throwIfAborted();
    const tx = await turns.take({ label: "begin" }, () => {
      const begun = transactions.begin(isolation);
      turns.rename(`tx ${begun.number}: begin${isolation === "committed" ? "" : ` ${isolation}`}`);
      return begun;
    });
    const layer = new TransactionLayer(tx.below, readOnly);
    const commit = async () => {
      await transactions.commit(layer, tx);
      transactions.end(tx);
    };
    return new Session(this.shared, layer, tx).#bracket(run, { layer, signal, name: "", commit, rollBack: () => transactions.end(tx) });
  }

  async #nest<R>(tx: Transaction, run: (inner: Session) => Promise<R>, { signal, readOnly = false }: TransactionOptions): Promise<R> {
    signal?.throwIfAborted();
    this.#nested += 1;
    try {
      const { inner, layer } = await this.#turn(
        "savepoint",
        () => this.#runningOnes(),
        () => {
          this.#layer.assertOpen();
          const layer = new TransactionLayer(this.#layer, readOnly);
          this.#running = new Session(this.shared, layer, tx);
          return { inner: this.#running, layer };
        },
      );
      const end = () => {
        inner.isOver = true;
        this.#running = undefined;
      };
      const commit = async () => {
        await layer.commit();
        end();
      };
      return await inner.#bracket(run, { layer, signal, name: " savepoint", commit, rollBack: end });
    } finally {
      this.#nested -= 1;
    }
  }

  /** Runs the function of this transaction, and commits it or rolls it back. */
  async #bracket<R>(run: (inner: Session) => Promise<R>, { layer, signal, name, commit, rollBack }: Bracket): Promise<R> {
    try {
      const result = await run(this);
      signal?.throwIfAborted();
      this.#requireSound();
      await this.#turn(`commit${name}`, none, async () => {
        requireAwaited(this.#nested);
        await commit();
      });
      return result;
    } catch (error) {
      await this.shared.turns.take({ label: this.#named(`rollback${name}`) }, rollBack);
      throw error;
    } finally {
      layer.end();
    }
  }

  /** As PostgreSQL does at the commit. @throws {Error} */
  #requireSound(): void {
    const cause = this.tx?.fault;
    if (cause === undefined) return;
    throw new Error("The transaction was rolled back: one of its calls failed, and the caller ignored the error.", { cause });
  }

  #runningOnes(): readonly Session[] {
    return this.#running === undefined ? [] : [this.#running];
  }

  async #turn<R>(label: string, waitsFor: () => readonly Ending[], step: () => R | Promise<R>): Promise<R> {
    const { tx, shared } = this;
    try {
      return await shared.turns.take({ label: this.#named(label), owner: tx, waitsFor }, () => {
        if (tx?.fault !== undefined) throw tx.fault;
        return step();
      });
    } catch (error) {
      // PostgreSQL, too, frees what a transaction holds when one of its statements fails so.
      if (error instanceof Retryable && tx !== undefined) shared.transactions.end(tx, error);
      throw error;
    }
  }

  #named(label: string): string {
    return this.tx === undefined ? label : `tx ${this.tx.number}: ${label}`;
  }
}

/** How a transaction ends. */
interface Bracket {
  readonly layer: TransactionLayer;
  readonly signal: AbortSignal | undefined;
  /** Of what is committed or rolled back, for the order. */
  readonly name: string;
  commit(): Promise<void>;
  rollBack(): void;
}

const none = () => [];
