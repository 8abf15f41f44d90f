import { describeCode, type ProblemCode } from "./codes.js";

/** One fault: what was wrong, where (one of pointer, parameter, header) and what is allowed instead. */
export interface ProblemItem {
  readonly code: ProblemCode;
  readonly detail: string;
  /** RFC 6901, into the request body. */
  readonly pointer?: string | undefined;
  /** Name of a query parameter as the client sent it. */
  readonly parameter?: string | undefined;
  readonly header?: string | undefined;
  readonly allowed?: readonly string[] | undefined;
  /** The limit, if one was exceeded. */
  readonly maximum?: number | undefined;
  readonly hint?: string | undefined;
}

export interface ProblemOptions {
  readonly status?: number | undefined;
  readonly errors?: readonly ProblemItem[] | undefined;
  /** Headers of the response, e.g. `allow`, `www-authenticate`, `retry-after`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Extension members (RFC 9457 §3.2), e.g. `maximum`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

const brand = Symbol.for("restwright.ProblemError");

/** The most problems that one response lists. */
export const maxItems = 20;

/**
 * An error that is sent to the client: thrown anywhere below `handle`, it becomes an `application/problem+json` response.
 *
 * @see RFC 9457
 * @example
 * throw new ProblemError("NOT_FOUND", "No order 7.");
 */
export class ProblemError extends Error {
  readonly [brand] = true;
  override readonly name = "ProblemError";
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly errors: readonly ProblemItem[];
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    const entry = describeCode(code);
    this.code = code;
    this.status = options.status ?? entry.status;
    this.title = entry.title;
    this.errors = (options.errors ?? []).slice(0, maxItems);
    this.headers = options.headers ?? {};
    this.extensions = options.extensions ?? {};
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** Whether an error is a problem that the client has caused: it is an answer, and no fault of the service. */
export function isRefusal(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.status < 500;
}

/** A problem from the list of all faults; a single fault gives the problem its code and detail. */
export function problemOf(fallback: ProblemCode, items: readonly ProblemItem[], options: Omit<ProblemOptions, "errors"> = {}): ProblemError {
  const single = items.length === 1 ? items[0] : undefined;
  const code = single?.code ?? fallback;
  const detail = single?.detail ?? `${items.length} problems were found.`;
  return new ProblemError(code, detail, { ...options, errors: items });
}

/** A problem of one fault, and where it is. */
export function problemAt(
  code: ProblemCode,
  detail: string,
  where: Omit<ProblemItem, "code" | "detail">,
  options: Omit<ProblemOptions, "errors"> = {},
): ProblemError {
  return new ProblemError(code, detail, { ...options, errors: [{ code, detail, ...where }] });
}

/** The problem of a body with one invalid value. */
export function invalidBody(detail: string, pointer: string): ProblemError {
  return new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer }] });
}

/** A problem as it is sent. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly requestId?: string;
  readonly instance?: string;
  readonly errors?: readonly ProblemItem[];
  readonly [extension: string]: unknown;
}

/** The text of a UUID. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Converts a problem to the form in which it is sent.
 *
 * @param docs Address of the page that explains the codes; without it `type` is `about:blank` and the title is the status phrase (RFC 9457 §4.2.1).
 */
export function problemDocument(problem: ProblemError, requestId: string, docs?: string | undefined): ProblemDocument {
  return {
    type: docs === undefined ? "about:blank" : `${docs}#${problem.code}`,
    title: docs === undefined ? (statusPhrase(problem.status) ?? problem.title) : problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    requestId,
    ...(uuid.test(requestId) ? { instance: `urn:uuid:${requestId.toLowerCase()}` } : {}),
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...problem.extensions,
  };
}

/** Those of RFC 9110; `node:http`, which browsers do not have, still calls 413 and 422 as RFC 4918 and RFC 7231 did. */
const phrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  423: "Locked",
  424: "Failed Dependency",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** The reason phrase of an error status; `undefined` for a status that restwright itself never sends. @see RFC 9110 §15 */
function statusPhrase(status: number): string | undefined {
  return phrases[status];
}
