import { argumentError, readMembers, requireNumber, requireText } from "../../../ground/problem/argument.js";
import { ConfigurationError } from "../../../ground/problem/index.js";

/** How an attempt ended: with the head of a response, or with an error. */
export interface AttemptEnd {
  readonly status?: number | undefined;
  /** The transport's error code if no head arrived; `INTERNAL` for an error of this service, such as one of the store or of the SecretBox. */
  readonly errorCode?: string | undefined;
}

/** The consequence of an attempt. */
export interface Verdict {
  /** `internal` does not count as an attempt: the delivery is released and retried after `internalDelayMs`. */
  readonly outcome: "success" | "retryable" | "terminal" | "internal";
  /** The change of the number of consecutive failures. */
  readonly failures: "reset" | "add" | "keep";
  readonly errorCode?: string | undefined;
  /** Why the webhook is disabled as a consequence. */
  readonly disable?: "gone" | undefined;
  /** Until when no other delivery is sent to the webhook either, in milliseconds since the epoch. */
  readonly pausedUntil?: number | undefined;
}

interface Circumstances {
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** The delay that `Retry-After` requested, see `parseRetryAfter`. */
  readonly retryAfterMs?: number | undefined;
  /** Whether 410 disables the webhook. Defaults to `true`. */
  readonly disableOnGone?: boolean | undefined;
}

interface Rule extends Verdict {
  readonly from: number;
  readonly to: number;
  readonly pauses?: boolean;
}

/** The delay after an error of this service. */
export const internalDelayMs = 30_000;

const maxPauseMs = 3_600_000;

/** The first rule that matches applies. */
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
  // The service is closing: the receiver did not cause this.
  ["ABORTED", ownFault],
  ["INTERNAL", ownFault],
]);

/** Any other network error may be temporary. */
const networkError: Verdict = { outcome: "retryable", failures: "add" };

/**
 * Determines the consequence of an attempt.
 *
 * @throws {TypeError} for an argument of a wrong type
 * @throws {ConfigurationError} for a result with neither a status nor an error
 */
export function classify(end: AttemptEnd, circumstances: Circumstances): Verdict {
  const { status, errorCode } = readMembers("end", end, ["status", "errorCode"]);
  const { endedAt, retryAfterMs, disableOnGone } = readMembers("circumstances", circumstances, ["endedAt", "retryAfterMs", "disableOnGone"]);
  if (status !== undefined) requireNumber("status", status);
  if (errorCode !== undefined) requireText("errorCode", errorCode);
  requireNumber("endedAt", endedAt);
  if (retryAfterMs !== undefined) requireNumber("retryAfterMs", retryAfterMs);
  if (disableOnGone !== undefined && typeof disableOnGone !== "boolean") throw argumentError("disableOnGone", "true or false", disableOnGone);
  if (errorCode !== undefined) return { ...(errorRules.get(errorCode) ?? networkError), errorCode };
  const rule = statusRules.find(({ from, to }) => status !== undefined && status >= from && status <= to);
  if (rule === undefined) throw new ConfigurationError(`An attempt ends with a status or an error; got ${String(status)}.`);
  return verdictOf(rule, { endedAt, retryAfterMs, disableOnGone });
}

function verdictOf({ from: _from, to: _to, pauses = false, ...verdict }: Rule, circumstances: Circumstances): Verdict {
  const { endedAt, retryAfterMs, disableOnGone = true } = circumstances;
  if (verdict.disable === "gone" && !disableOnGone) return { outcome: "terminal", failures: "add" };
  if (!pauses || retryAfterMs === undefined) return verdict;
  return { ...verdict, pausedUntil: endedAt + Math.min(retryAfterMs, maxPauseMs) };
}
