import { parseHttpDate } from "../../../src/ground/http/headers/dates.js";
import { CommandError, TransientError } from "../commandError.js";
import { type ErrorResponse, problemText, readProblem } from "./problemText.js";

/** The server refused the request; another attempt would fail too. */
export class Refusal extends CommandError {
  override readonly name = "Refusal";
  readonly status: number;
  /** Code of the problem; `undefined` if the body is not a problem. */
  readonly code: string | undefined;

  constructor(message: string, status: number, code: string | undefined) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Statuses of servers and proxies that are busy, starting or shutting down. */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** The error for a response with a status of 400 or above. Transient if the server is busy, or if an earlier attempt with the same key still runs. */
export function refusalOf(answer: ErrorResponse & { readonly retryAfter: string | undefined }, nowMs: number): Refusal | TransientError {
  const { status, text, retryAfter } = answer;
  const code = readProblem(text)?.code;
  const message = problemText(answer);
  if (transientStatuses.has(status) || code === "IDEMPOTENCY_KEY_IN_FLIGHT") {
    return new TransientError(message, { waitMs: parseRetryAfter(retryAfter, nowMs) });
  }
  return new Refusal(message, status, typeof code === "string" ? code : undefined);
}

/**
 * How long to wait, in milliseconds; 0 without a valid header.
 *
 * @see RFC 9110 §10.2.3
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  return Math.max(0, (parseHttpDate(text) ?? nowMs) - nowMs);
}
