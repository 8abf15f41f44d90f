import { Retryable } from "../../../../src/ground/storage/errors.js";
import type { TransactionOptions } from "../../../../src/ground/storage/storage.js";
import type { CommittedLayer, Layer, TransactionLayer } from "../layer.js";
import { CommittedPartition } from "../rows/committed.js";
import type { Partition } from "../rows/partition.js";
import { type Change, changesOf, type TenantTable, tenantTableName } from "./changes.js";
import { excludes, type Held, Locks } from "./locks.js";
import type { Ending } from "./turns.js";

export type Isolation = NonNullable<TransactionOptions["isolation"]>;

/** An open transaction. */
export class Transaction implements Ending {
  readonly number: number;
  readonly isolation: Isolation;
  /** Holds nothing any more. */
  isOver = false;
  /** Why it can only be rolled back. */
  fault: Retryable | undefined;
  /** What it sees besides its own changes. */
  readonly below: Layer;
  readonly #snapshot: Snapshot | undefined;
  readonly #reads = new Set<string>();
  /** What others have written and committed since it began. */
  readonly #written: Change[] = [];
  /** The names of rows and tables of what serializable transactions wrote of it. */
  readonly #conflicting = new Set<string>();

  constructor(number: number, isolation: Isolation, committed: Layer) {
    this.number = number;
    this.isolation = isolation;
    this.#snapshot = isolation === "committed" ? undefined : new Snapshot(committed);
    this.below = this.#snapshot?.layer ?? committed;
  }

  /** Remembers rows, keys and tables that it has read. */
  addReads(names: Iterable<string>): void {
    for (const name of names) this.#reads.add(name);
  }

  /** Keeps what it sees, because another one commits these changes now. */
  seeCommit(tenantTables: Iterable<TenantTable>, changes: readonly Change[], by: Isolation): void {
    if (this.#snapshot === undefined) return;
    for (const tenantTable of tenantTables) this.#snapshot.partition(tenantTable);
    this.#written.push(...changes);
    for (const { name, inTable } of changes) {
      if (by !== "serializable") continue;
      this.#conflicting.add(name);
      if (inTable !== undefined) this.#conflicting.add(inTable);
    }
  }

  /** @throws {Retryable} if another one has committed a change of what this one writes, locks or collides with, since it began */
  requireCurrent(wanted: readonly Held[]): void {
    if (!this.#written.some((change) => wanted.some(({ name, mode }) => name === change.name && excludes(mode, change.mode)))) return;
    throw new Retryable("Another transaction has changed the row since this one began. Run this one again.");
  }

  /**
   * As in PostgreSQL, only serializable transactions exclude each other.
   *
   * @throws {Retryable} if another one has committed a change of what this one has read, since it began
   */
  requireSerializable(): void {
    if (this.isolation !== "serializable" || ![...this.#conflicting].some((name) => this.#reads.has(name))) return;
    throw new Retryable("Another transaction has changed what this one has read. Run this one again.");
  }
}

/** The rows as they are when a transaction begins: those of a collection are copied when the transaction first reads them, or before they first change. */
class Snapshot {
  readonly layer: Layer;
  readonly #copies = new Map<string, Partition>();

  constructor(committed: Layer) {
    this.layer = { ...committed, partition: (table, tenant) => this.partition({ table, tenant }), assertOpen() {}, assertWritable() {} };
  }

  partition(tenantTable: TenantTable): Partition {
    const name = tenantTableName(tenantTable);
    const known = this.#copies.get(name);
    if (known !== undefined) return known;
    const copy = new CommittedPartition(tenantTable.table.model);
    tenantTable.table.partition(tenantTable.tenant).copyInto(copy);
    this.#copies.set(name, copy);
    return copy;
  }
}

/** The open transactions of a store, and what they hold. */
export class Transactions {
  readonly committed: CommittedLayer;
  readonly #locks = new Locks<Transaction>();
  readonly #open = new Set<Transaction>();
  #count = 0;

  constructor(committed: CommittedLayer) {
    this.committed = committed;
  }

  begin(isolation: Isolation): Transaction {
    this.#count += 1;
    const tx = new Transaction(this.#count, isolation, this.committed);
    this.#open.add(tx);
    return tx;
  }

  /** The transactions that hold something of it, in a way that excludes the caller's. */
  holders(tx: Transaction | undefined, wanted: readonly Held[]): Transaction[] {
    return this.#locks.holders(tx, wanted);
  }

  hold(tx: Transaction, wanted: readonly Held[]): void {
    this.#locks.take(tx, wanted);
  }

  /** Commits changes, those of a transaction or of a single write. @throws {Retryable} */
  async commit(changes: TransactionLayer, tx?: Transaction): Promise<void> {
    const written = changesOf(changes).map((change) => ({ ...change, mode: (tx && this.#locks.modeOf(tx, change.name)) ?? change.mode }));
    if (written.length === 0) return;
    tx?.requireSerializable();
    const tenantTables = [...changes.partitions()].map(([table, tenant]) => ({ table, tenant }));
    for (const other of this.#open) if (other !== tx) other.seeCommit(tenantTables, written, tx?.isolation ?? "committed");
    await changes.commit(this.committed);
  }

  /** Frees all that a transaction holds. */
  end(tx: Transaction, fault?: Retryable): void {
    tx.fault ??= fault;
    tx.isOver = true;
    this.#open.delete(tx);
    this.#locks.release(tx);
  }
}
