import { clientAddress } from "../../../ground/http/address/clientAddress.js";
import { readRequestId } from "../../../ground/http/headers/requestId.js";
import type { HttpRequest, HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { ChosenVersion } from "../../capability/capability.js";
import { failure } from "../../operation/faults/failure.js";
import type { Inherited } from "../../operation/references/inherited.js";
import { admit } from "./admit.js";
import { readBodyOf } from "./body.js";
import { enter } from "./enter.js";
import { finish } from "./finish.js";
import { identify } from "./identify.js";
import { withLimitedStatus } from "./limitedStatus.js";
import type { Arrival, Pipeline } from "./pipeline.js";
import { run } from "./run.js";

/** Answers a request. Returns `undefined` for a path that this service does not serve; never rejects. */
export async function answer(pipeline: Pipeline, request: HttpRequest, isClosing: () => boolean): Promise<HttpResponse | undefined> {
  const match = pipeline.router.match(request.path);
  if (match === undefined && !pipeline.notFoundProblem) return undefined;
  const requestId = readRequestId(request.headers, pipeline.environment.ids.uuid);
  const address = clientAddress(request.headers, request.address, pipeline.environment.trustedHops);
  const count = pipeline.limitRate?.(address);
  let response: HttpResponse;
  let version: ChosenVersion | undefined;
  try {
    if (isClosing()) throw shuttingDown();
    const chosen = match && pipeline.versions?.choose(request);
    const refusal = chosen instanceof ProblemError ? chosen : undefined;
    version = chosen instanceof ProblemError ? undefined : chosen;
    const served = (version && pipeline.inVersion.get(version.name)) ?? pipeline;
    const found = served === pipeline ? match : (served.router.match(request.path) ?? match);
    response = await handle(served, request, { requestId, match: found, address, count, json: version?.json, refusal });
  } catch (error) {
    response = failure(pipeline.environment, request, requestId, withLimitedStatus(match?.endpoint.limited, request, error));
  }
  count?.addHeaders(response.headers);
  const finished = finish(pipeline, { match, requestId }, request, response, isClosing());
  version?.addHeaders(finished, pipeline.environment.baseUrl ?? request.mount);
  return finished;
}

/**
 * The steps of a request, in this order. An operation of a batch takes the same steps.
 *
 * @param inherited set for an operation of a batch, which has no credentials of its own
 */
export async function handle(pipeline: Pipeline, sent: HttpRequest, arrival: Arrival, inherited?: Inherited): Promise<HttpResponse> {
  const entered = enter(pipeline, sent, arrival, inherited);
  if ("status" in entered) return entered;
  const caller = await identify(entered);
  const admitted = await admit(entered, caller);
  return run(entered, caller, admitted, await readBodyOf(entered, caller));
}

/** The refusal of a request or a call after the service has begun to close. */
export function shuttingDown(): ProblemError {
  return new ProblemError("SHUTTING_DOWN", "The service is shutting down.", { headers: { "retry-after": "5" } });
}
