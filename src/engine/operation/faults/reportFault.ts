import type { HttpRequest } from "../../../ground/http/message.js";
import type { ProblemError } from "../../../ground/problem/index.js";
import type { Environment } from "../environment.js";

/** Logs an error that is answered with 5xx, and calls `onError`. The log contains the details that the client must not see, with the request id of the answer. */
export function reportFault({ logger, onError }: Environment, problem: ProblemError, error: unknown, request: HttpRequest, requestId: string): void {
  const { method, path } = request;
  const [clientVersion, userAgent] = [firstOf(request, "x-client-version"), firstOf(request, "user-agent")];
  logger.error({ err: error, requestId, method, path, clientVersion, userAgent }, problem.message);
  try {
    onError?.(error, request);
  } catch (fault) {
    // The client must get its answer even if a hook throws.
    logger.error({ err: fault }, "onError threw.");
  }
}

function firstOf({ headers }: HttpRequest, name: string): string | undefined {
  const index = headers.findIndex((each, position) => position % 2 === 0 && each.toLowerCase() === name);
  return index === -1 ? undefined : headers[index + 1];
}
