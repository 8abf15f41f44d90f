import { environmentIn } from "../../../engine/operation/answers/apiVersion.js";
import type { Context } from "../../../engine/operation/context.js";
import type { Environment } from "../../../engine/operation/environment.js";
import { RenewedPrincipal } from "../../../engine/operation/work/renewedPrincipal.js";
import type { JobCall, RunningJob } from "../../../engine/operation/work/runningJob.js";
import { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { joinTarget } from "../../../ground/http/target.js";
import type { ClaimedJob } from "../../../ground/storage/queue/jobs.js";
import { openRequest } from "../submit/sealedRequest.js";
import { principalOf, restoreRequest } from "../submit/storedRequest.js";

/** The context of a request that runs as a job. */
export interface JobContext extends Context {
  readonly job: RunningJob;
}

/**
 * Restores the context of a request that continues as a job, for the principal who sent it, as it is now. Permissions still have to be checked.
 *
 * @param job whose input is that of {@link requestInput}
 * @throws {ProblemError} FORBIDDEN if there is no such principal any more; SECRET_UNREADABLE
 */
export async function jobContext(environment: Environment, job: ClaimedJob, call: JobCall): Promise<JobContext> {
  const stored = await openRequest(environment, job);
  const request = await restoreRequest(stored, call.signal);
  const headers = new RequestHeaders(request.headers);
  const { method, path, query, native } = request;
  const renewed = new RenewedPrincipal(environment, principalOf(stored));
  const principal = await renewed.current();
  return {
    environment: environmentIn(environment, stored.version),
    scopes: environment.scopesOf(principal),
    request,
    headers,
    requestId: stored.requestId,
    params: [],
    principal,
    permit: { fields: undefined },
    body: request.body.kind === "parsed" ? request.body.value : undefined,
    authRequest: { method, target: joinTarget(request), path, query, headers, rawHeaders: request.headers, native },
    operationId: stored.operationId ?? job.id,
    joins: [],
    job: { job, call, principal: renewed },
  };
}
