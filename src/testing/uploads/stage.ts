import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { AccountLimits, AccountUse, NewUpload, UploadOutcome, UploadRecord, UploadStore } from "../../ground/storage/files/uploads.js";
import type { Storage } from "../../ground/storage/storage.js";
import { type Items, Stage } from "../storage/stage.js";

/** The store under test: a separate store, or the store of a storage, whose transactions are then tested too. */
export type UploadSubject = { readonly store: UploadStore } | { readonly storage: Storage };

/** The fixture of all scenarios: one store, and ids, tenants and accounts that no other scenario uses. */
export class UploadStage {
  readonly store: UploadStore;
  /** The storage that the store belongs to. */
  readonly storage: Storage | undefined;
  readonly #open: () => Promise<UploadSubject>;
  readonly #rows: Stage | undefined;

  private constructor(subject: UploadSubject, open: () => Promise<UploadSubject>) {
    this.storage = "storage" in subject ? subject.storage : undefined;
    this.store = "store" in subject ? subject.store : uploadsOf(subject.storage);
    this.#open = open;
    this.#rows = this.storage && new Stage(this.storage, undefined);
  }

  static async open(open: () => Promise<UploadSubject>): Promise<UploadStage> {
    return new UploadStage(await open(), open);
  }

  /** Opens a separate store, for scenarios about all records. */
  another(): Promise<UploadStage> {
    return UploadStage.open(this.#open);
  }

  /** A unique id, tenant or account. */
  name(): string {
    return randomUUID();
  }

  /** A typical new record (open, 100 bytes, never due) with the changes of a scenario. */
  upload(change: Partial<NewUpload> = {}): NewUpload {
    const names = { id: this.name(), tenant: this.name(), owner: "ada", account: this.name() };
    return { ...names, isOpen: true, bytes: 100, dueAt: undefined, data: { state: "uploading" }, ...change };
  }

  /** Creates a new record. */
  async create(change: Partial<NewUpload> = {}, limits?: AccountLimits): Promise<UploadRecord> {
    return stored(await this.store.create(this.upload(change), limits));
  }

  /** The sums of an account. */
  use({ tenant, account }: Pick<UploadRecord, "tenant" | "account">, store = this.store): Promise<AccountUse> {
    return store.use(tenant, account);
  }

  /** Asserts that a record is stored as given, and that its account has these sums. */
  async assertKept(record: UploadRecord, use: AccountUse): Promise<void> {
    assert.deepStrictEqual(await this.store.get(record.id), record);
    assert.deepStrictEqual(await this.use(record), use);
  }

  /** A new, empty collection beside the store. */
  async rows(): Promise<Items> {
    assert.ok(this.#rows !== undefined);
    return this.#rows.open({ name: `uploads${randomUUID().slice(0, 8)}` });
  }

  /** Runs `run` in a transaction of the storage, with the store that takes part in it. */
  async transaction<R>(run: (store: UploadStore, tx: Storage) => Promise<R>): Promise<R> {
    assert.ok(this.#rows !== undefined);
    return this.#rows.transaction((tx) => run(uploadsOf(tx), tx));
  }
}

export function uploadsOf(storage: Storage): UploadStore {
  assert.ok(storage.uploads !== undefined, `${storage.name} has no store of uploads`);
  return storage.uploads;
}

/** The record of a write; fails if the write did not succeed. */
export function stored(outcome: UploadOutcome): UploadRecord {
  assert.equal(outcome.outcome, "stored");
  assert.ok(outcome.outcome === "stored");
  return outcome.record;
}

export const conflict: UploadOutcome = { outcome: "conflict" };
export const nothing: AccountUse = { open: 0, bytes: 0 };

/** Calls `run` concurrently, `times` times. */
export function together<T>(run: (index: number) => Promise<T>, count: number): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}
