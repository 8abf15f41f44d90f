import { ClientGone } from "../http/body.js";
import type { HttpRequest, HttpResponse } from "../http/message.js";
import { loggable } from "../operation/logger.js";
import { ProblemError, problemDocument } from "../problem/index.js";
import { Retryable, Unavailable } from "../storage/errors.js";
import type { Pipeline } from "./handle.js";

/** The answer to anything that was thrown. What a client must not see goes to the logger, under the request id that the client got. */
export function failure(pipeline: Pipeline, request: HttpRequest, requestId: string, error: unknown): HttpResponse {
  const problem = toProblem(error);
  if (problem.status >= 500 && problem.code !== "SHUTTING_DOWN") {
    const { method, path } = request;
    pipeline.environment.logger.error({ err: error, requestId, method: loggable(method), path: loggable(path) }, problem.message);
    report(pipeline, error, request);
  }
  return {
    status: problem.status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...problem.headers },
    body: JSON.stringify(problemDocument(problem, requestId, pipeline.problemDocs)),
  };
}

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof Unavailable || error instanceof Retryable) {
    return new ProblemError("STORAGE_UNAVAILABLE", "The storage cannot answer now.", { cause: error, headers: { "retry-after": "5" } });
  }
  // Nobody reads this answer; it only closes the account of the request.
  if (error instanceof ClientGone) return new ProblemError("REQUEST_TIMEOUT", "The client went away before the body was read.", { cause: error });
  return new ProblemError("INTERNAL", "Something went wrong here.", { cause: error, headers: { "retry-after": "5" } });
}

/** A hook that throws must not cost the client its answer. */
function report({ onError, environment }: Pipeline, error: unknown, request: HttpRequest): void {
  try {
    onError?.(error, request);
  } catch (fault) {
    environment.logger.error({ err: fault }, "onError threw.");
  }
}
