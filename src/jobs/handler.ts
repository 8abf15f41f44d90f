import type { ClaimedJob, JobAdvance, JobEnd, JobStore } from "../storage/jobs.js";

/** What goes with a job while it is done. */
export interface JobCall {
  /** Ends when somebody wants the job to end, when its lease is lost, and when the service closes. */
  readonly signal: AbortSignal;
  /**
   * Keeps how far the job is, in the transaction of what was done.
   *
   * @param jobs that of the transaction
   * @throws {LeaseLost} where another worker has taken the job over: the transaction must not commit
   */
  advance(jobs: JobStore, advance: JobAdvance): Promise<void>;
}

/** Does the jobs of one type. */
export interface JobHandler {
  readonly type: string;
  /**
   * Goes on at `job.cursor`. A {@link ProblemError} below 500 ends the job as failed; anything else is tried again.
   */
  run(job: ClaimedJob, call: JobCall): Promise<JobEnd>;
}
