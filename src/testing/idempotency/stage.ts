import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { BeginRequest, Begun, IdempotencyStore } from "../../ground/storage/idempotency.js";
import type { CollectionModel } from "../../ground/storage/model.js";
import type { Storage } from "../../ground/storage/storage.js";
import { type Items, Stage } from "../storage/stage.js";

/** The store under test: a separate store, or the store of a storage, whose transactions are then tested too. */
export type IdempotencySubject = ({ readonly store: IdempotencyStore } | { readonly storage: Storage }) & {
  /** Advances the clock of the store, if possible; otherwise the cases wait. */
  advance?(ms: number): Promise<void> | void;
};

const day = 86_400_000;

/** The fixture of all scenarios: one store, and ids that no other scenario uses. */
export class IdempotencyStage {
  readonly store: IdempotencyStore;
  /** The storage that the store belongs to. */
  readonly storage: Storage | undefined;
  /** Advances the clock of the store by `ms` milliseconds. */
  readonly advance: (ms: number) => Promise<void>;
  readonly #open: () => Promise<IdempotencySubject>;
  readonly #rows: Stage | undefined;

  private constructor(subject: IdempotencySubject, open: () => Promise<IdempotencySubject>) {
    this.storage = "storage" in subject ? subject.storage : undefined;
    this.store = "store" in subject ? subject.store : idempotencyOf(subject.storage);
    this.advance = async (ms) => (subject.advance === undefined ? sleep(ms) : subject.advance(ms));
    this.#open = open;
    this.#rows = this.storage && new Stage(this.storage, undefined);
  }

  static async open(open: () => Promise<IdempotencySubject>): Promise<IdempotencyStage> {
    const stage = new IdempotencyStage(await open(), open);
    await stage.store.migrate?.();
    return stage;
  }

  /** Opens a separate store, for scenarios about all records. */
  another(): Promise<IdempotencyStage> {
    return IdempotencyStage.open(this.#open);
  }

  /** The id of a new key. */
  id(): string {
    return createHash("sha256").update(randomUUID()).digest("hex");
  }

  /** A typical first begin (a lease of one minute, a lifetime of one day) with the changes of a scenario. */
  request(change: Partial<BeginRequest> = {}): BeginRequest {
    return { fingerprint: "fingerprint", operationId: randomUUID(), leaseMs: 60_000, ttlMs: day, ...change };
  }

  begin(id: string, change: Partial<BeginRequest> = {}): Promise<Begun> {
    return this.store.begin(id, this.request(change));
  }

  /** Begins a new key whose lease has expired when this resolves. */
  async overdue(change: Partial<BeginRequest> = {}): Promise<{ readonly id: string; readonly operationId: string }> {
    const id = this.id();
    const { operationId } = acquired(await this.begin(id, { leaseMs: 5, ...change }));
    await this.advance(20);
    return { id, operationId };
  }

  async renew(id: string, operationId: string, attempt: number, leaseMs = 60_000): Promise<boolean> {
    assert.ok(this.store.renew !== undefined);
    return this.store.renew(id, operationId, attempt, leaseMs);
  }

  /** A new, empty collection beside the store. */
  async rows(change: Partial<CollectionModel> = {}): Promise<Items> {
    assert.ok(this.#rows !== undefined);
    return this.#rows.open({ ...change, name: `idempotency${randomUUID().slice(0, 8)}` });
  }

  /** Runs `run` in a transaction of the storage, with the store that takes part in it. */
  async transaction<R>(run: (store: IdempotencyStore, tx: Storage) => Promise<R>): Promise<R> {
    assert.ok(this.#rows !== undefined);
    return this.#rows.transaction((tx) => run(idempotencyOf(tx), tx));
  }
}

export function idempotencyOf(storage: Storage): IdempotencyStore {
  assert.ok(storage.idempotency !== undefined, `${storage.name} has no idempotency store`);
  return storage.idempotency;
}

/** The operation of a begin; fails if it did not acquire the lease. */
export function acquired(begun: Begun): Extract<Begun, { readonly kind: "acquired" }> {
  assert.ok(begun.kind === "acquired", `expected the begin to acquire the lease, got "${begun.kind}"`);
  return begun;
}
