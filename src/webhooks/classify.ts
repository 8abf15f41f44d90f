import { ConfigurationError } from "../problem/index.js";

/** How an attempt ended: with the head of a response, or with an error. */
export interface AttemptEnd {
  readonly status?: number | undefined;
  /** The transport's word for why no head came; `INTERNAL` for a fault of our own, as of the store or of the SecretBox. */
  readonly errorCode?: string | undefined;
}

/** What follows from an attempt. */
export interface Verdict {
  /** `internal` was no attempt: the delivery is let go and tried again after `internalDelayMs`. */
  readonly outcome: "success" | "retryable" | "terminal" | "internal";
  /** What becomes of the count of consecutive failures. */
  readonly failures: "reset" | "add" | "keep";
  readonly errorCode?: string | undefined;
  /** Why the webhook is disabled with it. */
  readonly disable?: "gone" | undefined;
  /** Until when, in milliseconds since the epoch, nothing else is sent to the webhook either. */
  readonly pausedUntil?: number | undefined;
}

interface Circumstances {
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** What `Retry-After` asked for, see `parseRetryAfter`. */
  readonly retryAfterMs?: number | undefined;
  /** Whether 410 disables the webhook; it does unless told otherwise. */
  readonly disableOnGone?: boolean | undefined;
}

interface Rule extends Verdict {
  readonly from: number;
  readonly to: number;
  readonly pauses?: boolean;
}

/** How long a delivery that failed by our own fault rests. */
export const internalDelayMs = 30_000;

const longestPauseMs = 3_600_000;

/** The first rule that fits decides. */
const statusRules: readonly Rule[] = [
  { from: 200, to: 299, outcome: "success", failures: "reset" },
  { from: 300, to: 399, outcome: "terminal", failures: "add", errorCode: "REDIRECT_REFUSED" },
  { from: 408, to: 408, outcome: "retryable", failures: "add" },
  { from: 410, to: 410, outcome: "terminal", failures: "keep", disable: "gone" },
  { from: 429, to: 429, outcome: "retryable", failures: "add", pauses: true },
  { from: 400, to: 499, outcome: "terminal", failures: "add" },
  { from: 503, to: 503, outcome: "retryable", failures: "add", pauses: true },
  { from: 500, to: 599, outcome: "retryable", failures: "add" },
  { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, outcome: "terminal", failures: "add", errorCode: "BAD_STATUS" },
];

const ownFault: Verdict = { outcome: "internal", failures: "keep" };

const errorRules = new Map<string, Verdict>([
  ["ADDRESS_BLOCKED", { outcome: "terminal", failures: "add" }],
  // The service is on its way out: the receiver had no chance.
  ["ABORTED", ownFault],
  ["INTERNAL", ownFault],
]);

/** Whatever else goes wrong on a network may go right later. */
const networkError: Verdict = { outcome: "retryable", failures: "add" };

/**
 * What follows from how an attempt ended.
 *
 * @throws {ConfigurationError} for an end that has neither a status nor an error
 */
export function classify({ status, errorCode }: AttemptEnd, circumstances: Circumstances): Verdict {
  if (errorCode !== undefined) return { ...(errorRules.get(errorCode) ?? networkError), errorCode };
  const rule = statusRules.find(({ from, to }) => status !== undefined && status >= from && status <= to);
  if (rule === undefined) throw new ConfigurationError(`An attempt ends with a status or an error; got ${String(status)}.`);
  return verdictOf(rule, circumstances);
}

function verdictOf({ from: _from, to: _to, pauses = false, ...verdict }: Rule, circumstances: Circumstances): Verdict {
  const { endedAt, retryAfterMs, disableOnGone = true } = circumstances;
  if (verdict.disable === "gone" && !disableOnGone) return { outcome: "terminal", failures: "add" };
  if (!pauses || retryAfterMs === undefined) return verdict;
  return { ...verdict, pausedUntil: endedAt + Math.min(retryAfterMs, longestPauseMs) };
}
