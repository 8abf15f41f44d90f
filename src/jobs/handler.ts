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
   * A job that was canceled under way, that got no further in all its tries, or that a problem has ended keeps its input and cursor, so that it can be
   * reopened. What the handler itself answers as failed is kept as it says.
   */
  readonly isResumable?: boolean | undefined;
  /**
   * Goes on at `job.cursor`. A {@link ProblemError} below 500 ends the job as failed, at the row that its extension `row` names; anything else is
   * tried again.
   *
   * `job.attempts` says how many tries before this one got no further than that cursor. They threw, or died with their process: what was thrown is in
   * the logs, of a death nothing is. A handler that finds 3 there may well take the row behind the cursor by itself. `advance` sets it to 0, so what
   * it then knows belongs in the cursor.
   */
  run(job: ClaimedJob, call: JobCall): Promise<JobEnd>;
}
