import type { HttpRequest } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Endpoint } from "../router.js";

/** The same error; for a rate-limited request with the header of `limited`, with the status that its clients retry. */
export function withLimitedStatus(limited: Endpoint["limited"], { headers }: HttpRequest, error: unknown): unknown {
  if (limited === undefined || !(error instanceof ProblemError) || error.code !== "RATE_LIMITED") return error;
  const { header, status } = limited;
  if (!headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === header)) return error;
  return new ProblemError(error.code, error.message, { status, headers: error.headers, extensions: error.extensions, cause: error });
}
