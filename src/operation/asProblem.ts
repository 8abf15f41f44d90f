import { ClientGone } from "../http/clientGone.js";
import { ProblemError } from "../problem/index.js";
import { Retryable, Unavailable } from "../storage/errors.js";

/** Anything that was thrown, as the problem that a client may see. What it must not see is the `cause`. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof Unavailable || error instanceof Retryable) {
    return new ProblemError("STORAGE_UNAVAILABLE", "The storage cannot answer now.", { cause: error, headers: { "retry-after": "5" } });
  }
  // Nobody reads this answer; it only closes the account of the request.
  if (error instanceof ClientGone) return new ProblemError("REQUEST_TIMEOUT", "The client went away before the body was read.", { cause: error });
  return new ProblemError("INTERNAL", "Something went wrong here.", { cause: error, headers: { "retry-after": "5" } });
}
