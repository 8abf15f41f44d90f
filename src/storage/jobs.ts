/** A job to keep until somebody has done it. */
export interface NewJob {
  /** Made of the operation's id where it has one, so that a repeated request makes no second job. */
  readonly id: string;
  /** Whose handler does it: `batch`, `import`. */
  readonly type: string;
  readonly tenant: string | undefined;
  /** Id of the principal who asked for it. */
  readonly owner: string;
  /** Everything that the handler needs, as JSON. */
  readonly input: unknown;
  /** Where it begins; a job that was begun elsewhere goes on from there. */
  readonly cursor?: unknown;
  /** Nothing processed of nobody knows how many, unless given. */
  readonly progress?: JobProgress | undefined;
  /** What was found out before it became a job. */
  readonly entries?: readonly JobEntry[] | undefined;
}

/** The states that clients see. A job whose worker died stays `processing`. */
export type JobStatus = "queued" | "processing" | "completed" | "failed";

/** How far a job is. */
export interface JobProgress {
  readonly processed: number;
  /** `null` while nobody knows. */
  readonly total: number | null;
  /** Numbers of the handler's own: `succeeded`, `created`, `failed`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Items a second, smoothed; absent while nobody knows. */
  readonly rate?: number | undefined;
}

/** A line of what a job has to say of one of its items, as JSON. */
export interface JobEntry {
  /** Place among the job's entries, a safe integer of at least 0: grows, and stands once. What comes for a place that is taken is dropped. */
  readonly position: number;
  readonly value: unknown;
}

/** Why a job failed. */
export interface JobError {
  readonly code: string;
  readonly detail: string;
  /** The row that it failed at, the first being 1. */
  readonly row?: number | undefined;
}

/** Why a job failed that was canceled while it was queued. */
export const canceledInQueue: JobError = { code: "CANCELLED", detail: "The job was canceled while it was queued." };

/** A job without its input and its entries, which may be large. */
export interface JobState extends JobProgress {
  readonly id: string;
  readonly type: string;
  readonly tenant: string | undefined;
  readonly owner: string;
  readonly status: JobStatus;
  /** Tries since the last progress that failed, or were interrupted: their worker died, or fell silent for longer than its lease. */
  readonly attempts: number;
  readonly cancelRequested: boolean;
  readonly createdAt: Date;
  /** When the first claim began. */
  readonly startedAt: Date | undefined;
  /** When it last got further. */
  readonly advancedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  /** What the handler made of it, as JSON. */
  readonly result: unknown;
  readonly error: JobError | undefined;
  /** Whether it has failed and kept its input and cursor, so that it can be reopened. */
  readonly resumable: boolean;
  /** New with every change that a client can see, and never one that the job had before. */
  readonly version: string;
}

/** What a worker shows with each write; a later claim of the job makes it worthless. */
export interface JobLease {
  readonly id: string;
  readonly fence: number;
}

/** A job that is the caller's to do. */
export interface ClaimedJob extends JobState {
  readonly lease: JobLease;
  readonly input: unknown;
  readonly cursor: unknown;
}

export interface ClaimRequest {
  readonly types: readonly string[];
  readonly leaseMs: number;
  /** At most so many jobs. */
  readonly max: number;
  /**
   * At most so many jobs of one tenant may be under way, those of all workers and types together: the ones whose lease is not over. Jobs without a
   * tenant count like those of one more.
   */
  readonly maxPerTenant: number;
}

/** What a worker has got done since the last time. */
export interface JobAdvance extends JobProgress {
  /** Where a next try goes on. */
  readonly cursor: unknown;
  readonly entries?: readonly JobEntry[] | undefined;
}

export type JobEnd =
  | { readonly status: "completed"; readonly result?: unknown }
  | {
      readonly status: "failed";
      readonly error: JobError;
      readonly result?: unknown;
      /** Input and cursor are kept, so that the job can be reopened. */
      readonly resumable?: true | undefined;
    };

/**
 * Jobs and how far they are: the truth, whatever wakes the workers. Every method is atomic; the clock is the store's own. On a `tx` of a storage they
 * commit with its rows. Values are kept as JSON: nobody's later change of what was written or read reaches the store.
 *
 * `queued —claim→ processing —finish→ completed | failed —reopen→ queued`. A claim whose lease is over, or that was released, goes to the next who claims: `attempts`
 * grows by one, the fence by one, the status stays. `advance`, `extend`, `release` and `finish` are refused, and keep nothing, unless the lease is the
 * last one given out, was not released, and the job is not finished; a lease that is over but has not been taken over still counts.
 */
export interface JobStore {
  /** @returns `false` where there is such a job already, which stays as it is */
  create(job: NewJob): Promise<boolean>;
  get(id: string): Promise<JobState | undefined>;
  /** The oldest jobs that wait and whose time has come, oldest first; `attempts` counts those that came before, so the first claim says 0. */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;
  /** Lets the lease end `leaseMs` from now. `cancel`: still held, and somebody wants the job to end. */
  extend(lease: JobLease, leaseMs: number): Promise<"held" | "cancel" | "lost">;
  /** Keeps progress and cursor, appends entries, sets `attempts` to 0. `false`: the lease was lost, and nothing is kept. */
  advance(lease: JobLease, advance: JobAdvance): Promise<boolean>;
  /**
   * Gives the job back; others may claim it after `delayMs`, or at once where somebody wants it to end. With `failed` the try counts: `attempts` grows
   * by one at the next claim, else not.
   */
  release(lease: JobLease, options: { readonly delayMs: number; readonly failed: boolean }): Promise<boolean>;
  /** Ends the job. Its input and cursor go, unless it failed and is resumable. */
  finish(lease: JobLease, end: JobEnd): Promise<boolean>;
  /**
   * Lets a failed job that kept its input wait for a worker again, who goes on at its cursor: `queued`, with progress, entries and `startedAt` kept, and
   * no attempts, wish to end, error, result, rate or end. Its place among those that wait is that of its creation.
   *
   * @returns `false` for every other job, which stays as it is
   */
  reopen(id: string): Promise<boolean>;
  /**
   * `canceled`: it was queued, and has failed with the code `CANCELLED`; input and cursor go unless it had begun and was reopened; `requested`: its worker will hear of it, by `extend` or, where the
   * job was given back, by a claim whose time has then come; `finished`: too late; `missing`: no such job.
   */
  cancel(id: string): Promise<"canceled" | "requested" | "finished" | "missing">;
  /** Removes a job that has ended, with its entries. `false` where there is none that has. */
  remove(id: string): Promise<boolean>;
  /** Entries whose position is above `after`, ascending. */
  entries(id: string, after: number, limit: number): Promise<readonly JobEntry[]>;
  /** Jobs of a tenant that wait to be begun. */
  countQueued(tenant: string | undefined): Promise<number>;
  /** Removes jobs with their entries that ended more than `keepMs` ago, at most `max`, those first that ended first. @returns how many */
  sweep(keepMs: number, max: number): Promise<number>;
}
