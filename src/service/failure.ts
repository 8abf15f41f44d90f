import type { HttpRequest, HttpResponse } from "../http/message.js";
import { asProblem } from "../operation/asProblem.js";
import type { Environment } from "../operation/environment.js";
import { reportFault } from "../operation/reportFault.js";
import { problemDocument } from "../problem/index.js";

/** The answer to anything that was thrown. */
export function failure(environment: Environment, request: HttpRequest, requestId: string, error: unknown): HttpResponse {
  const problem = asProblem(error);
  if (problem.status >= 500 && problem.code !== "SHUTTING_DOWN") reportFault(environment, problem, error, request, requestId);
  return {
    status: problem.status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...problem.headers },
    body: JSON.stringify(problemDocument(problem, requestId, environment.problemDocs)),
  };
}
