import { ClientGone } from "../../../ground/http/clientGone.js";
import type { HttpRequest, HttpResponse } from "../../../ground/http/message.js";
import { problemDocument } from "../../../ground/problem/index.js";
import { translation } from "../answers/translation.js";
import type { Environment } from "../environment.js";
import { asProblem } from "./asProblem.js";
import { reportFault } from "./reportFault.js";

/** 5xx codes that are not faults of the service. They are not logged, so that a client cannot fill the log with them. */
const expected: ReadonlySet<string> = new Set(["SHUTTING_DOWN", "TRANSFER_CODING_UNSUPPORTED", "RATE_LIMITED"]);

/** Converts any thrown value to an answer. */
export function failure(environment: Environment, request: HttpRequest, requestId: string, error: unknown): HttpResponse {
  const problem = asProblem(isClientGone(request, error) ? new ClientGone(error) : error);
  if (problem.status >= 500 && !expected.has(problem.code)) reportFault(environment, problem, error, request, requestId);
  const document = problemDocument(problem, requestId, environment.problemDocs);
  const translated = environment.offers.get(translation)?.(problem, document, request);
  return {
    status: problem.status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "content-language": "en",
      ...translated?.headers,
      ...problem.headers,
    },
    body: JSON.stringify(translated?.document ?? document),
  };
}

/** When the client disconnects, a read rejects with the reason of the signal. This is not a fault of the service. */
function isClientGone({ signal }: HttpRequest, error: unknown): boolean {
  return signal.aborted && error === signal.reason;
}
