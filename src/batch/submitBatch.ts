import type { HttpResponse } from "../http/message.js";
import { acceptedJob } from "../jobs/answer.js";
import type { JobSettings } from "../jobs/settings.js";
import { storeRequest } from "../jobs/storedRequest.js";
import { jobIdOf, submitRequest } from "../jobs/submitRequest.js";
import type { Context } from "../operation/context.js";
import type { JobState, NewJob } from "../storage/jobs.js";
import { preferenceHeaders } from "./answer.js";
import type { BatchPlan, Portion } from "./plan.js";
import { hasFailed, type ItemResult } from "./result.js";

/** What has been done of a batch before it goes on as a job. */
export interface BatchSoFar {
  readonly portion: Portion;
  readonly results: readonly ItemResult[];
  /** Whether the client said that the answer may come later. */
  readonly wasAsked: boolean;
}

/** Type of the jobs of batches, and the segment of their paths. */
export const batchJobs = { type: "batch", path: "batches" } as const;

/**
 * Lets a batch go on behind its request.
 *
 * @param done what has been done of it already
 * @throws {ProblemError} TOO_MANY_JOBS
 */
export async function submitBatch(context: Context, settings: JobSettings, plan: BatchPlan, done?: BatchSoFar): Promise<HttpResponse> {
  const applied = { applied: done?.wasAsked === false ? plan.applied : [...plan.applied, "respond-async"] };
  // What was begun has to end, however many others wait.
  const room = { isBegun: done !== undefined };
  return submitRequest(context, settings, jobOf(context, plan, done), (state) => acceptedBatch(context, state, applied), room);
}

function jobOf(context: Context, plan: BatchPlan, done: BatchSoFar | undefined): NewJob {
  const { principal } = context;
  const { results = [], portion } = done ?? {};
  const failed = results.filter(hasFailed).length;
  return {
    id: jobIdOf(context),
    type: batchJobs.type,
    tenant: principal.tenant,
    owner: principal.id,
    input: storeRequest(context),
    ...(results.length === 0 ? {} : { cursor: portion?.cursorAfter(results.length - 1) }),
    progress: { processed: results.length, total: plan.total, counts: { succeeded: results.length - failed, failed } },
    entries: results.map((result, index) => ({ position: index, value: plan.keep({ index, ...result }) })),
  };
}

function acceptedBatch(context: Context, state: JobState, applied: Pick<BatchPlan, "applied">): HttpResponse {
  const { status, headers, body } = acceptedJob(batchJobs, context, state);
  return { status, headers: { ...headers, ...preferenceHeaders(applied) }, body };
}
