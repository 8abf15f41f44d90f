import type { Context } from "../../../engine/operation/context.js";
import { requestIdOf } from "../../../engine/operation/ids/stableId.js";
import { commit } from "../../../engine/operation/write/commit.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { JobState, NewJob } from "../../../ground/storage/queue/jobs.js";
import type { JobSettings } from "../settings.js";
import { jobsWithin } from "./jobsWithin.js";
import { submitJob } from "./submit.js";

/** The id of the job for a request: a repeated request finds its job, and the next id cannot be guessed. What the request has begun goes on under its id. */
export function jobIdOf(context: Context): string {
  const { environment, operationId } = context;
  return operationId === undefined ? requestIdOf(context) : environment.secrets.sign("job", operationId);
}

/**
 * Continues a request as a job. The job commits in one transaction with the joins of the request.
 *
 * @param answer builds the answer to the request from the state of the job
 * @param room `isBegun`: a part is already completed, so the limit of waiting jobs is not checked
 * @throws {ProblemError} TOO_MANY_JOBS
 */
export async function submitRequest(
  context: Context,
  settings: JobSettings,
  job: NewJob,
  answer: (state: JobState) => HttpResponse,
  room: { readonly isBegun?: boolean } = {},
): Promise<HttpResponse> {
  const { response } = await commit(context, async (tx) => {
    return { response: answer(await submitJob(settings, job, tx === undefined ? settings.store : jobsWithin(tx), room)) };
  });
  settings.wake();
  return response;
}
