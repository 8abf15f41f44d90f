import type { ProblemCode, ProblemDocument, ProblemItem } from "../ground/problem/index.js";
import { ClientError } from "./transport/transportErrors.js";

export { ClientError, NetworkError, TimeoutError } from "./transport/transportErrors.js";

/** A code that the compiler does not know. It keeps editors offering those that are known. */
export type OtherCode = string & Readonly<Record<never, never>>;

/** A code of any service: one of the registry, `DUPLICATE_…` of a unique key, or one of an action. `ErrorCodeOf` has those of a service. */
export type ErrorCode = ProblemCode | OtherCode;

/** A problem that the service answered. */
export class ApiError extends ClientError {
  static override readonly path: string = "ApiError";
  declare readonly status: number;
  declare readonly code: ErrorCode;
  /** All faults, with the place of each. */
  declare readonly errors: readonly ProblemItem[];
  /** The id under which the service logged the request. */
  declare readonly requestId: string | undefined;
  /** What `Retry-After` said, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** The number of tries. */
  declare attempts: number;
  /** The whole problem, with further members such as `maximum`. */
  declare readonly problem: ProblemDocument;

  constructor(problem: ProblemDocument, retryAfterMs?: number | undefined) {
    super(problem.detail);
    const { status, code, errors, requestId } = problem;
    // A proxy or a hostile service may send anything.
    const known = Array.isArray(errors) ? errors.filter((each) => typeof each === "object" && each !== null) : [];
    Object.assign(this, { status, code, errors: known, requestId, problem, retryAfterMs });
  }

  /** The faults of each field, for forms: `{ "address.city": ["…"] }`. */
  get fields(): Record<string, string[]> {
    const fields: Record<string, string[]> = {};
    for (const { pointer, parameter, detail } of this.errors) {
      const name = parameter ?? pointer?.slice?.(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
      if (name) fields[name] = [...(fields[name] ?? []), detail];
    }
    return fields;
  }
}

/** 401: the credentials are missing or were refused twice. */
export class AuthenticationError extends ApiError {
  static override readonly path: string = "ApiError.AuthenticationError";
}

/** 403. */
export class ForbiddenError extends ApiError {
  static override readonly path: string = "ApiError.ForbiddenError";
}

/** 404. */
export class NotFoundError extends ApiError {
  static override readonly path: string = "ApiError.NotFoundError";
}

/** 409. */
export class ConflictError extends ApiError {
  static override readonly path: string = "ApiError.ConflictError";
}

/** 412: the row has changed. */
export class PreconditionFailedError extends ApiError {
  static override readonly path: string = "ApiError.PreconditionFailedError";
  /** The row as it is now, if `update` with a function gave up. */
  declare current: unknown;
}

/** 422. */
export class ValidationError extends ApiError {
  static override readonly path: string = "ApiError.ValidationError";
}

/** 429. */
export class RateLimitedError extends ApiError {
  static override readonly path: string = "ApiError.RateLimitedError";
}

/** 5xx. */
export class ServerError extends ApiError {
  static override readonly path: string = "ApiError.ServerError";
}

/** A job that failed, or was canceled or removed. */
export class JobFailedError extends ClientError {
  static override readonly path: string = "JobFailedError";
  declare readonly code: ErrorCode;
  /** The row that caused it, from 1. */
  declare readonly row?: number | undefined;
  /** The job as it ended; `undefined` if it was removed. */
  declare readonly job?: unknown;
}

/** A list that is kept current has more rows than `maxRows` allows. */
export class TooManyRowsError extends ClientError {
  static override readonly path: string = "TooManyRowsError";
  declare readonly maxRows: number;

  constructor(collection: string, maxRows: number) {
    super(`More than ${maxRows} rows of "${collection}" match; narrow "where", or raise "maxRows".`);
    Object.assign(this, { maxRows });
  }
}

/** An answer that is not the service's, such as a page of a proxy. */
export class UnexpectedAnswerError extends ClientError {
  static override readonly path: string = "UnexpectedAnswerError";
  declare readonly status: number;
  /** The first 200 characters. */
  declare readonly text: string;

  constructor(status: number, body: string) {
    const text = body.slice(0, 200);
    super(`Unexpected answer, status ${status}: ${text}`);
    Object.assign(this, { status, text });
  }
}
