import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedJob, ClaimRequest, JobState, JobStore, NewJob } from "../../ground/storage/queue/jobs.js";
import type { Storage } from "../../ground/storage/storage.js";
import { type Items, Stage } from "../storage/stage.js";

/** The store under test: a separate store, or the store of a storage, whose transactions are then tested too. */
export type JobSubject = ({ readonly store: JobStore } | { readonly storage: Storage }) & {
  /** Advances the clock of the store, if possible; otherwise the cases wait. */
  advance?(ms: number): Promise<void> | void;
};

/** The fixture of all scenarios: one store, and ids, types and tenants that no other scenario uses. */
export class JobStage {
  readonly store: JobStore;
  /** The storage that the store belongs to. */
  readonly storage: Storage | undefined;
  /** Advances the clock of the store by `ms` milliseconds. */
  readonly advance: (ms: number) => Promise<void>;
  readonly #open: () => Promise<JobSubject>;
  readonly #rows: Stage | undefined;

  private constructor(subject: JobSubject, open: () => Promise<JobSubject>) {
    this.storage = "storage" in subject ? subject.storage : undefined;
    this.store = "store" in subject ? subject.store : jobsOf(subject.storage);
    this.advance = async (ms) => (subject.advance === undefined ? sleep(ms) : subject.advance(ms));
    this.#open = open;
    this.#rows = this.storage && new Stage(this.storage, undefined);
  }

  static async open(open: () => Promise<JobSubject>): Promise<JobStage> {
    return new JobStage(await open(), open);
  }

  /** Opens a separate store, for scenarios about all jobs or jobs without a tenant. */
  another(): Promise<JobStage> {
    return JobStage.open(this.#open);
  }

  /** A unique type, tenant or id. */
  name(): string {
    return randomUUID();
  }

  /** A typical new job with the changes of a scenario. */
  job(change: Partial<NewJob> = {}): NewJob {
    return { id: this.name(), type: this.name(), tenant: this.name(), owner: "ada", input: { rows: 3 }, ...change };
  }

  /** Creates a new job. */
  async create(change: Partial<NewJob> = {}): Promise<NewJob> {
    const job = this.job(change);
    assert.equal(await this.store.create(job), true);
    return job;
  }

  /** Claims all jobs of a type, with leases of a minute. */
  claim(type: string, change: Partial<ClaimRequest> = {}, store = this.store): Promise<readonly ClaimedJob[]> {
    return store.claim({ types: [type], leaseMs: 60_000, max: 100, maxPerTenant: 100, ...change });
  }

  /** Claims the only job of a type. */
  async claimOne(type: string, change: Partial<ClaimRequest> = {}): Promise<ClaimedJob> {
    const claimed = await this.claim(type, change);
    assert.equal(claimed.length, 1, `${claimed.length} jobs were claimed`);
    return only(claimed);
  }

  /** A claimed job. */
  async begun(change: Partial<NewJob> = {}, leaseMs = 60_000): Promise<ClaimedJob> {
    const { type } = await this.create(change);
    return this.claimOne(type, { leaseMs });
  }

  /** A claimed job whose lease has expired. */
  async overdue(change: Partial<NewJob> = {}): Promise<ClaimedJob> {
    const job = await this.begun(change, 5);
    await this.advance(20);
    return job;
  }

  /** A job that a second worker claimed after the lease of the first expired. @returns the claim of the first */
  async takenOver(): Promise<{ readonly stale: ClaimedJob; readonly current: ClaimedJob }> {
    const stale = await this.overdue();
    return { stale, current: await this.claimOne(stale.type) };
  }

  /** A job that has ended. */
  async ended(change: Partial<NewJob> = {}): Promise<ClaimedJob> {
    const job = await this.begun(change);
    assert.equal(await this.store.finish(job.lease, { status: "completed" }), true);
    return job;
  }

  /** The state of an existing job. */
  async state(id: string): Promise<JobState> {
    const state = await this.store.get(id);
    assert.ok(state !== undefined, "the job is gone");
    return state;
  }

  /** A new, empty collection beside the store. */
  async rows(): Promise<Items> {
    assert.ok(this.#rows !== undefined);
    return this.#rows.open({ name: `jobs${randomUUID().slice(0, 8)}` });
  }

  /** Runs `run` in a transaction of the storage, with the store that takes part in it. */
  async transaction<R>(run: (store: JobStore, tx: Storage) => Promise<R>): Promise<R> {
    assert.ok(this.#rows !== undefined);
    return this.#rows.transaction((tx) => run(jobsOf(tx), tx));
  }
}

export function jobsOf(storage: Storage): JobStore {
  assert.ok(storage.jobs !== undefined, `${storage.name} has no store of jobs`);
  return storage.jobs;
}

/** The first item of a list; fails if it is empty. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  assert.ok(first !== undefined, "there is none");
  return first;
}
