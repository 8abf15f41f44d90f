import { readRequestId } from "../../src/ground/http/headers/requestId.js";
import type { HttpRequest, HttpResponse } from "../../src/ground/http/message.js";
import { ProblemError, problemDocument } from "../../src/ground/problem/index.js";

/** The problem of hosts without their own 404, for a path that the service does not serve. */
export function notFound(request: HttpRequest): HttpResponse {
  const hasSlash = request.path.length > 1 && request.path.endsWith("/");
  const detail = hasSlash ? "Nothing stands at this path; try it without the slash at its end." : "Nothing stands at this path.";
  return problemResponse(request, new ProblemError("NOT_FOUND", detail));
}

/** The problem of hosts without their own error page, for a failure of the service. */
export function internalError(request: HttpRequest): HttpResponse {
  return problemResponse(request, new ProblemError("INTERNAL", "The request could not be answered."));
}

function problemResponse(request: HttpRequest, problem: ProblemError): HttpResponse {
  const requestId = readRequestId(request.headers, () => globalThis.crypto.randomUUID());
  const body = JSON.stringify(problemDocument(problem, requestId));
  return {
    status: problem.status,
    headers: {
      "content-type": "application/problem+json",
      "content-language": "en",
      "content-length": String(new TextEncoder().encode(body).length),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
    },
    body,
  };
}
