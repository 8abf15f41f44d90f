import type { ProblemCode, ProblemDocument, ProblemItem } from "../problem/index.js";

const brand = Symbol.for("restwright.ClientError");

/** An error of a call. Its class is also a text of the error, so that `instanceof` holds when a page has two copies of this module. */
export abstract class ClientError extends Error {
  static readonly path: string = "";
  declare readonly [brand]: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    const { path } = new.target;
    Object.assign(this, { [brand]: path, name: path.replace(/.*\./, "") });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return (value as ClientError | undefined)?.[brand]?.startsWith(this.path) === true;
  }
}

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

/** No answer, or half of one. `cause` is the error of `fetch`. */
export class NetworkError extends ClientError {
  static override readonly path: string = "NetworkError";
  /** The number of tries. */
  declare attempts: number;
}

/** No answer within `timeoutMs`. */
export class TimeoutError extends NetworkError {
  static override readonly path: string = "NetworkError.TimeoutError";
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
