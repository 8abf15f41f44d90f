import type { HttpRequest } from "../http/message.js";
import type { ProblemError } from "../problem/index.js";
import type { Environment } from "./environment.js";
import { loggable } from "./logger.js";

/** Tells the developer of an error that is answered with 5xx: what the client must not see goes to the logger, under the request id that it got. */
export function reportFault({ logger, onError }: Environment, problem: ProblemError, error: unknown, request: HttpRequest, requestId: string): void {
  const { method, path } = request;
  logger.error({ err: error, requestId, method: loggable(method), path: loggable(path) }, problem.message);
  try {
    onError?.(error, request);
  } catch (fault) {
    // A hook that throws must not cost the client its answer.
    logger.error({ err: fault }, "onError threw.");
  }
}
