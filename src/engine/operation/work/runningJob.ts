import type { ClaimedJob, JobAdvance, JobStore } from "../../../ground/storage/queue/jobs.js";
import type { RenewedPrincipal } from "./renewedPrincipal.js";

/** What a job's handler may use while the job runs. */
export interface JobCall {
  /** Aborted when the job is canceled, when its lease is lost, and when the service closes. */
  readonly signal: AbortSignal;
  /**
   * Saves the job's progress in the transaction of the work.
   *
   * @param jobs the job store of the transaction
   * @throws {LeaseLost} if another worker has taken over the job: the transaction must not commit
   */
  advance(jobs: JobStore, advance: JobAdvance): Promise<void>;
}

/** A job that runs. */
export interface RunningJob {
  readonly job: ClaimedJob;
  readonly call: JobCall;
  /** The principal who sent it. Its rights are asked again for each slice of the work. */
  readonly principal: RenewedPrincipal;
}
