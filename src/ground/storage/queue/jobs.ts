/** A job to store until a worker has finished it. */
export interface NewJob {
  /** Derived from the operation id if there is one, so that a repeated request creates no second job. */
  readonly id: string;
  /** The name of its handler: `batch`, `import`. */
  readonly type: string;
  readonly tenant: string | undefined;
  /** Id of the principal who requested it. */
  readonly owner: string;
  /** Everything that the handler needs, as JSON. */
  readonly input: unknown;
  /** Where it begins; a job that was begun elsewhere continues from there. */
  readonly cursor?: unknown;
  /** Defaults to 0 processed of an unknown total. */
  readonly progress?: JobProgress | undefined;
  /** Entries from before it became a job. */
  readonly entries?: readonly JobEntry[] | undefined;
  /** The trace that it belongs to, at most 256 characters. A store that does not keep it only loses the link between two traces. */
  readonly trace?: string | undefined;
  /** When it may first be claimed; at once if absent or past. Given only to stores with `withKey`. */
  readonly dueAt?: Date | undefined;
  /** At most one job of a type and a tenant with this key waits or runs at a time. Given only to stores with `withKey`. */
  readonly key?: string | undefined;
}

/** The states that clients see. A job whose worker died stays `processing`. */
export type JobStatus = "queued" | "processing" | "completed" | "failed";

/** The progress of a job. */
export interface JobProgress {
  readonly processed: number;
  /** `null` while unknown. */
  readonly total: number | null;
  /** Counters of the handler: `succeeded`, `created`, `failed`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Items per second, smoothed; absent while unknown. */
  readonly rate?: number | undefined;
}

/** What a job reports about one of its items, as JSON. */
export interface JobEntry {
  /** Position among the job's entries, a growing safe integer of at least 0. A second entry for a position is dropped. */
  readonly position: number;
  readonly value: unknown;
}

/** Why a job failed. */
export interface JobError {
  readonly code: string;
  readonly detail: string;
  /** The row at which it failed, counted from 1. */
  readonly row?: number | undefined;
}

/** The error of a job that was canceled while it was queued. */
export const canceledInQueue: JobError = { code: "CANCELLED", detail: "The job was canceled while it was queued." };

/** A job without its input and its entries, which may be large. */
export interface JobState extends JobProgress {
  readonly id: string;
  readonly type: string;
  readonly tenant: string | undefined;
  readonly owner: string;
  readonly status: JobStatus;
  /** Attempts since the last progress that failed or were interrupted, because their worker died or did not renew its lease. */
  readonly attempts: number;
  readonly cancelRequested: boolean;
  readonly createdAt: Date;
  /** When the first claim began. */
  readonly startedAt: Date | undefined;
  /** When it last made progress. */
  readonly advancedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  /** The result of the handler, as JSON. */
  readonly result: unknown;
  readonly error: JobError | undefined;
  /** Whether it failed and kept its input and cursor, so that it can be reopened. */
  readonly resumable: boolean;
  /** Changes with every change that a client can see, and never repeats. */
  readonly version: string;
}

/** The proof of a worker that it holds the lease; a later claim of the job invalidates it. */
export interface JobLease {
  readonly id: string;
  readonly fence: number;
}

/** A claimed job. */
export interface ClaimedJob extends JobState {
  readonly lease: JobLease;
  readonly input: unknown;
  readonly cursor: unknown;
  /** As it was created. */
  readonly trace?: string | undefined;
}

export interface ClaimRequest {
  readonly types: readonly string[];
  readonly leaseMs: number;
  /** The most jobs to claim. */
  readonly max: number;
  /**
   * The most jobs of one tenant that may be in progress, of all workers and types together: those whose lease has not ended. Jobs without a
   * tenant count as one more tenant.
   */
  readonly maxPerTenant: number;
  /** Begins with the tenant after this one. Pass the job claimed last: then all tenants get their turns. */
  readonly after?: { readonly tenant: string | undefined } | undefined;
  /** Names this claim for `unclaim`; unique. */
  readonly claimId?: string | undefined;
}

/** The progress of a worker since its last report. */
export interface JobAdvance extends JobProgress {
  /** Where the next attempt continues. */
  readonly cursor: unknown;
  readonly entries?: readonly JobEntry[] | undefined;
  /** Stores progress alone: the cursor stays as it is in the store, and so do `attempts`, as the next attempt may fail at the same place. */
  readonly keepsPosition?: true | undefined;
}

export type JobEnd =
  | { readonly status: "completed"; readonly result?: unknown }
  | {
      readonly status: "failed";
      readonly error: JobError;
      readonly result?: unknown;
      /** Keeps input and cursor, so that the job can be reopened. */
      readonly resumable?: true | undefined;
    };

/**
 * Jobs and their progress. The store is authoritative, whatever wakes the workers. Every method is atomic; the clock is the store's own. On a `tx` of a storage they
 * commit with its rows. Values are stored as JSON: changing a written or read object later does not change the store.
 *
 * `queued —claim→ processing —finish→ completed | failed —reopen→ queued`. A job whose lease has ended or was released goes to the next claim: `attempts`
 * and the fence grow by one, the status stays. `advance`, `extend`, `release` and `finish` are refused, and store nothing, unless the lease is the
 * latest one, was not released, and the job is not finished; a lease that has ended but has not been taken over still counts.
 */
export interface JobStore {
  /** @returns `false` if the job already exists, or one with its key waits or runs; that one stays unchanged */
  create(job: NewJob): Promise<boolean>;
  get(id: string): Promise<JobState | undefined>;
  /** The id of the job of a type and a tenant that waits or runs with this key. Stores without this method need keep neither `key` nor `dueAt`. */
  withKey?(type: string, tenant: string | undefined, key: string): Promise<string | undefined>;
  /**
   * Claims due jobs: one of each tenant that has none in progress, in the order of their names, then of any tenant within its limit; the oldest first in both.
   * They are returned from one tenant to the next. `attempts` counts earlier attempts, so the first claim has 0.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;
  /**
   * Releases what a claim has leased and still holds, without counting an attempt: for a claim whose answer was lost. It waits for that claim if it is still under way. Stores without this method
   * let such leases end in their time. @returns how many
   */
  unclaim?(claimId: string): Promise<number>;
  /**
   * Milliseconds until the first job can be claimed that waits for its time, or whose lease ends then, of whatever type; 0 if it can be now, `undefined` if there is none. Jobs that are ready do not
   * count. Without this method, workers find such jobs by polls, every 5 s also while wake-ups arrive.
   */
  laterInMs?(): Promise<number | undefined>;
  /** Ends the leases of processes that are certainly dead; a slow process keeps its own. Stores without this method let leases end in their time. @returns how many */
  recover?(): Promise<number>;
  /** Lets the lease end `leaseMs` from now. `cancel`: the lease is still held, and cancellation was requested. */
  extend(lease: JobLease, leaseMs: number): Promise<"held" | "cancel" | "lost">;
  /** Stores progress and cursor, appends entries, sets `attempts` to 0; cursor and `attempts` stay if it `keepsPosition`. `false`: the lease was lost, and nothing is stored. */
  advance(lease: JobLease, advance: JobAdvance): Promise<boolean>;
  /**
   * Releases the job; others may claim it after `delayMs`, or at once if cancellation was requested. With `failed` the attempt counts: `attempts` grows
   * by one at the next claim, otherwise not.
   */
  release(lease: JobLease, options: { readonly delayMs: number; readonly failed: boolean }): Promise<boolean>;
  /** Ends the job. Its input and cursor are removed, unless it failed and is resumable. */
  finish(lease: JobLease, end: JobEnd): Promise<boolean>;
  /**
   * Queues a failed job that kept its input again; a worker continues at its cursor. Progress, entries and `startedAt` stay;
   * attempts, cancellation, error, result, rate and end are cleared. Its position in the queue is that of its creation.
   *
   * @returns `false` for every other job, and while another one with its key waits or runs; it stays unchanged then
   */
  reopen(id: string): Promise<boolean>;
  /**
   * `canceled`: it was queued, and has failed with the code `CANCELLED`; input and cursor are removed unless it had begun and was reopened; `requested`: its worker is told, by `extend` or, if the
   * job was released, by the next claim, which is due at once; `finished`: too late; `missing`: no such job.
   */
  cancel(id: string): Promise<"canceled" | "requested" | "finished" | "missing">;
  /** Removes a finished job with its entries. `false` if there is no such finished job. */
  remove(id: string): Promise<boolean>;
  /** Entries whose position is above `after`, ascending. */
  entries(id: string, after: number, limit: number): Promise<readonly JobEntry[]>;
  /** The number of queued jobs of a tenant, of these types or of all. */
  countQueued(tenant: string | undefined, types?: readonly string[]): Promise<number>;
  /** The number of jobs of all tenants that wait for a worker, whether due now or later; counts no further than `max`. */
  depth?(max: number): Promise<number>;
  /** Removes jobs with their entries that ended more than `keepMs` ago, at most `max`, the earliest end first. @returns how many */
  sweep(keepMs: number, max: number): Promise<number>;
}
