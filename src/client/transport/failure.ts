import type { ProblemDocument } from "../../ground/problem/index.js";
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  PreconditionFailedError,
  RateLimitedError,
  ServerError,
  UnexpectedAnswerError,
  ValidationError,
} from "../errors.js";

const passing = [408, 423, 425, 429, 502, 503, 504];
const passingCodes = ["IDEMPOTENCY_KEY_IN_FLIGHT", "WRITE_CONFLICT"];

const classes: Readonly<Record<number, typeof ApiError>> = {
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitedError,
};

/** The error of a problem, by its status. */
export function apiError(problem: ProblemDocument, retryAfterMs?: number | undefined): ApiError {
  return new (classes[problem.status] ?? (problem.status < 500 ? ApiError : ServerError))(problem, retryAfterMs);
}

/** The error of an answer without a value, and whether another try may succeed. */
export interface Failure {
  readonly error: ApiError | UnexpectedAnswerError;
  readonly mayPass: boolean;
  /** What `Retry-After` said, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * @param text `undefined` if it was too long
 * @param problem its JSON, if it is a problem
 */
export function failureOf({ status, headers }: Response, text: string | undefined, problem: unknown): Failure {
  const retryAfterMs = retryAfterOf(headers);
  const isPassing = passing.includes(status) || (status === 500 && retryAfterMs !== undefined);
  if (problem === undefined) {
    const shown = text === undefined ? "longer than maxAnswerBytes" : text || headers.get("location") || "";
    return { error: new UnexpectedAnswerError(status, shown), mayPass: isPassing, retryAfterMs };
  }
  const error = apiError({ status, ...(problem as object) } as ProblemDocument, retryAfterMs);
  return { error, mayPass: isPassing || passingCodes.includes(error.code), retryAfterMs };
}

/** What `Retry-After` says, in milliseconds: a number of seconds, or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
