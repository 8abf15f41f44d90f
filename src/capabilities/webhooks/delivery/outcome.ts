import type { Random } from "../../../engine/operation/random.js";
import type { DeliveryAttempt, DeliveryOutcome } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { nextAttempt } from "../../events/backoff.js";
import type { WebhookSettings } from "../settings.js";
import { classify } from "./classify.js";
import { parseRetryAfter } from "./retryAfter.js";
import type { AttemptResult } from "./transport.js";

/** A finished attempt. */
export interface FinishedAttempt {
  /** Its number in the schedule. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly result: AttemptResult;
}

/** The attempt as the log stores it. */
export function loggedAttempt(
  { startedAt, result }: FinishedAttempt,
  { url }: Webhook,
  errorCode: string | undefined = result.errorCode,
): DeliveryAttempt {
  const { status, latencyMs, bodyHead } = result;
  return { startedAt: new Date(startedAt), latencyMs, status, errorCode, url, body: bodyHead };
}

/**
 * The changes that an attempt makes to its delivery and its webhook.
 *
 * @param perWebhook the most concurrent deliveries to a webhook without recent failures
 * @returns `undefined` if the attempt failed in this service and does not count
 */
export function outcomeOf(
  made: FinishedAttempt,
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
    attempt: loggedAttempt(made, webhook, verdict.errorCode),
    next: nextState(verdict.outcome, dueAt, endedAt),
    url: webhook.url,
    failures: verdict.failures,
    disableAfter: settings.disableAfter,
    disable: verdict.disable,
    pauseMs: verdict.pausedUntil === undefined ? undefined : Math.max(0, verdict.pausedUntil - endedAt),
    timedOut: result.errorCode === "TIMEOUT" || result.errorCode === "CONNECT_TIMEOUT",
    limit: limitAfter(verdict.outcome, webhook, perWebhook),
  };
}

function nextState(outcome: "success" | "retryable" | "terminal", dueAt: number | undefined, endedAt: number): DeliveryOutcome["next"] {
  if (outcome === "success") return { state: "succeeded" };
  return dueAt === undefined ? { state: "dead" } : { state: "pending", delayMs: Math.max(0, dueAt - endedAt) };
}

/** After a failure one delivery at a time, and one more after each success, so that a recovering receiver is not overloaded. */
function limitAfter(outcome: "success" | "retryable" | "terminal", { limit }: Webhook, max: number): DeliveryOutcome["limit"] {
  if (outcome === "retryable") return { change: "one", max };
  return outcome === "success" && limit !== undefined ? { change: "grow", max } : undefined;
}
