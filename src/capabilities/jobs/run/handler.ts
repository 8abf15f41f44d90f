import type { JobCall } from "../../../engine/operation/work/runningJob.js";
import type { ClaimedJob, JobEnd } from "../../../ground/storage/queue/jobs.js";

/** Runs the jobs of one type. */
export interface JobHandler {
  readonly type: string;
  /**
   * A job that was canceled while it ran, that used up its attempts, or that ended with a problem keeps its input and cursor, so that it can be
   * reopened. If the handler itself returns `failed`, its `resumable` decides.
   */
  readonly isResumable?: boolean | undefined;
  /**
   * Continues at `job.cursor`. A {@link ProblemError} below 500 ends the job as failed, at the row in its extension `row`; after any other error the job
   * is retried.
   *
   * `job.attempts` is the number of earlier attempts that made no progress after that cursor. They threw, or their process died: errors are logged, the
   * death of a process is not. At 3 attempts a handler may process the row after the cursor alone. `advance` resets the number to 0, so everything that the
   * handler must remember belongs in the cursor.
   */
  run(job: ClaimedJob, call: JobCall): Promise<JobEnd>;
}
