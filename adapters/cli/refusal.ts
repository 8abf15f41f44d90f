import { parseHttpDate } from "../../src/http/dates.js";
import { CommandError } from "./commandError.js";
import { problemText, type RefusedAnswer, readProblem } from "./problemText.js";
import { TransientError } from "./transientError.js";

/** The server understood, and said no. */
export class Refusal extends CommandError {
  override readonly name = "Refusal";
  readonly status: number;
  /** Of the problem, where it is one. */
  readonly code: string | undefined;

  constructor(message: string, status: number, code: string | undefined) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** 429 and what servers and those in front of them say when they are busy, starting or ending. */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** The error that an answer of 400 and more is. Busy ones are worth another try, and so is one whose first try is still under way. */
export function refusalOf(answer: RefusedAnswer & { readonly retryAfter: string | undefined }, nowMs: number): Refusal | TransientError {
  const { status, text, retryAfter } = answer;
  const code = readProblem(text)?.code;
  const message = problemText(answer);
  if (transientStatuses.has(status) || code === "IDEMPOTENCY_KEY_IN_FLIGHT") {
    return new TransientError(message, { waitMs: parseRetryAfter(retryAfter, nowMs) });
  }
  return new Refusal(message, status, typeof code === "string" ? code : undefined);
}

/**
 * How long to wait, in milliseconds; 0 where the header says nothing.
 *
 * @see RFC 9110 §10.2.3
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  return Math.max(0, (parseHttpDate(text) ?? nowMs) - nowMs);
}
