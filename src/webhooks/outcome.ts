import type { Random } from "../operation/random.js";
import type { DeliveryAttempt, DeliveryOutcome } from "../storage/deliveries.js";
import type { Webhook } from "../storage/webhooks.js";
import { nextAttempt } from "./backoff.js";
import { classify } from "./classify.js";
import { parseRetryAfter } from "./retryAfter.js";
import type { WebhookSettings } from "./settings.js";
import type { AttemptResult } from "./transport.js";

/** An attempt that was made. */
export interface MadeAttempt {
  /** Its number. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly result: AttemptResult;
}

/** The attempt as the log keeps it. */
export function loggedAttempt({ startedAt, result }: MadeAttempt, errorCode: string | undefined = result.errorCode): DeliveryAttempt {
  const { status, latencyMs, bodyHead } = result;
  return { startedAt: new Date(startedAt), latencyMs, status, errorCode, body: bodyHead };
}

/**
 * What follows from an attempt.
 *
 * @param perWebhook deliveries that may be under way to a webhook that has had no trouble
 * @returns `undefined` where the attempt was none, since it failed here
 */
export function outcomeOf(
  made: MadeAttempt,
  webhook: Webhook,
  settings: Pick<WebhookSettings, "scheduleMs" | "disableAfter" | "disableOnGone">,
  { random, perWebhook }: { readonly random: Random; readonly perWebhook: number },
): DeliveryOutcome | undefined {
  const { attempt, endedAt, result } = made;
  const retryAfterMs = parseRetryAfter(result.retryAfter, endedAt);
  const verdict = classify(result, { endedAt, retryAfterMs, disableOnGone: settings.disableOnGone });
  if (verdict.outcome === "internal") return undefined;
  const dueAt =
    verdict.outcome === "retryable" ? nextAttempt({ attempt, endedAt, scheduleMs: settings.scheduleMs, random, retryAfterMs }) : undefined;
  return {
    attempt: loggedAttempt(made, verdict.errorCode),
    next: nextState(verdict.outcome, dueAt, endedAt),
    url: webhook.url,
    failures: verdict.failures,
    disableAfter: settings.disableAfter,
    disable: verdict.disable,
    pauseMs: verdict.pausedUntil === undefined ? undefined : Math.max(0, verdict.pausedUntil - endedAt),
    limit: limitAfter(verdict.outcome, webhook, perWebhook),
  };
}

function nextState(outcome: "success" | "retryable" | "terminal", dueAt: number | undefined, endedAt: number): DeliveryOutcome["next"] {
  if (outcome === "success") return { state: "succeeded" };
  return dueAt === undefined ? { state: "dead" } : { state: "pending", delayMs: Math.max(0, dueAt - endedAt) };
}

/** After trouble one at a time, and one more with each success: what was kept waiting does not come back as a herd. */
function limitAfter(outcome: "success" | "retryable" | "terminal", { limit }: Webhook, max: number): DeliveryOutcome["limit"] {
  if (outcome === "retryable") return { change: "one", max };
  return outcome === "success" && limit !== undefined ? { change: "grow", max } : undefined;
}
