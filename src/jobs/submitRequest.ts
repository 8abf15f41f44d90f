import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import { retrying } from "../operation/retry.js";
import type { JobState, NewJob } from "../storage/jobs.js";
import type { JobSettings } from "./settings.js";
import { submitJob } from "./submit.js";

/** The id of the job that a request becomes: one that is repeated finds its job, and from an id nobody can tell the next one. */
export function jobIdOf({ environment, operationId }: Context): string {
  return operationId === undefined ? environment.ids.uuid() : environment.secrets.sign("job", operationId);
}

/**
 * Lets a request go on as a job, which commits with what joins the request.
 *
 * @param answer to the request, made of the job as it stands
 * @param room `isBegun`: a part of it has been done already, so that there has to be room
 * @throws {ProblemError} TOO_MANY_JOBS
 */
export async function submitRequest(
  { environment, joins }: Context,
  settings: JobSettings,
  job: NewJob,
  answer: (state: JobState) => HttpResponse,
  room: { readonly isBegun?: boolean } = {},
): Promise<HttpResponse> {
  if (joins.length === 0) return answer(await submitJob(settings, job, settings.store, room));
  const response = await retrying(
    () =>
      environment.transaction(async (tx) => {
        if (tx.jobs === undefined) throw new Error("The storage keeps jobs, but its transactions do not.");
        const accepted = answer(await submitJob(settings, job, tx.jobs, room));
        for (const join of joins) await join(tx, accepted);
        return accepted;
      }),
    environment,
  );
  settings.wake();
  return response;
}
