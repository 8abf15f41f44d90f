import { RequestHeaders } from "../http/headers.js";
import type { Context } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import type { ClaimedJob } from "../storage/jobs.js";
import type { JobCall } from "./handler.js";
import { principalOf, restoreRequest, type StoredRequest } from "./storedRequest.js";

/**
 * A request that goes on as a job, as its operation would meet it: in the name of the principal who sent it. What that one may do is still to be asked.
 *
 * @param job whose input is a {@link StoredRequest}
 */
export function jobContext(environment: Environment, job: ClaimedJob, call: JobCall): Context {
  const stored = job.input as StoredRequest;
  const request = restoreRequest(stored, call.signal);
  const headers = new RequestHeaders(request.headers);
  const { method, path, query, native } = request;
  return {
    environment,
    request,
    headers,
    requestId: stored.requestId,
    params: [],
    principal: principalOf(stored),
    permit: { fields: undefined },
    body: stored.body,
    authRequest: { method, path, query, headers, native },
    operationId: stored.operationId ?? job.id,
    joins: [],
    job: { job, call },
  };
}
