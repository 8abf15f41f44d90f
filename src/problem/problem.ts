import { STATUS_CODES } from "node:http";
import { describeCode, type ProblemCode } from "./codes.js";

/** One thing that was wrong: what, where (one of pointer, parameter, header) and what is allowed instead. */
export interface ProblemItem {
  readonly code: ProblemCode;
  readonly detail: string;
  /** RFC 6901, into the request body. */
  readonly pointer?: string | undefined;
  /** Name of a query parameter as the client sent it. */
  readonly parameter?: string | undefined;
  readonly header?: string | undefined;
  readonly allowed?: readonly string[] | undefined;
  /** The most that is allowed, where a limit was passed. */
  readonly maximum?: number | undefined;
  readonly hint?: string | undefined;
}

export interface ProblemOptions {
  readonly status?: number | undefined;
  readonly errors?: readonly ProblemItem[] | undefined;
  /** Headers that belong to the answer, e.g. `allow`, `www-authenticate`, `retry-after`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Extension members (RFC 9457 §3.2), e.g. `maximum`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

const brand = Symbol.for("restwright.ProblemError");

/** At most this many problems are listed in one answer. */
export const maximumItems = 20;

/**
 * An error that has an answer: thrown anywhere below `handle`, it becomes an `application/problem+json` response.
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
    this.errors = (options.errors ?? []).slice(0, maximumItems);
    this.headers = options.headers ?? {};
    this.extensions = options.extensions ?? {};
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** A problem from the list of all that was wrong; one item lends its code and detail to the whole. */
export function problemOf(fallback: ProblemCode, items: readonly ProblemItem[], options: Omit<ProblemOptions, "errors"> = {}): ProblemError {
  const [only] = items;
  const single = items.length === 1 && only ? only : undefined;
  const code = single?.code ?? fallback;
  const detail = single?.detail ?? `${items.length} problems were found.`;
  return new ProblemError(code, detail, { ...options, errors: items });
}

/** What a problem looks like on the wire. */
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

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The wire form of a problem.
 *
 * @param docs Address of the page that explains the codes; without it `type` is `about:blank` and the title is the status phrase (RFC 9457 §4.2.1).
 */
export function problemDocument(problem: ProblemError, requestId: string, docs?: string | undefined): ProblemDocument {
  return {
    type: docs === undefined ? "about:blank" : `${docs}#${problem.code}`,
    title: docs === undefined ? (STATUS_CODES[problem.status] ?? problem.title) : problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    requestId,
    ...(uuid.test(requestId) ? { instance: `urn:uuid:${requestId.toLowerCase()}` } : {}),
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...problem.extensions,
  };
}
