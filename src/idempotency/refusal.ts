import type { HttpResponse } from "../http/message.js";
import { type ProblemError, problemDocument } from "../problem/index.js";

/**
 * The answer to a problem.
 *
 * @param docs Address of the page that explains the codes.
 */
export function refusal(problem: ProblemError, requestId: string, docs: string | undefined): HttpResponse {
  return {
    status: problem.status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", "x-request-id": requestId, ...problem.headers },
    body: JSON.stringify(problemDocument(problem, requestId, docs)),
  };
}
