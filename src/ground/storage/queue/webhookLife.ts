import type { DeliveryOutcome } from "./deliveries.js";
import type { NewWebhook, Webhook, WebhookChange } from "./webhooks.js";

/** The state of a newly registered webhook. */
export function newWebhook(given: NewWebhook, now: Date): Webhook {
  const { id, tenant, owner, url, events, filter, apiVersion, secret, secretHint } = given;
  const { previousSecrets = [], clientCertificate, principal, active = true } = given;
  return {
    ...{ id, tenant, owner, url, events, filter, apiVersion, secret, secretHint, previousSecrets, clientCertificate, principal, active },
    ...{ consecutiveFailures: 0, failingSince: undefined, disabledReason: undefined, pausedUntil: undefined, timedOut: false, limit: undefined },
    ...{ disabledAt: active ? undefined : now, createdAt: now, updatedAt: now, version: `${now.getTime()}-1` },
  };
}

/** The webhook after a client's change. */
export function changedWebhook(webhook: Webhook, { active = webhook.active, disabledReason, ...target }: WebhookChange, now: Date): Webhook {
  const changed = { ...webhook, ...target, updatedAt: now, version: nextVersion(webhook) };
  if (active === webhook.active) return changed;
  if (!active) return { ...changed, active, disabledReason, disabledAt: now };
  // The cause of its failures may still exist: one delivery at a time tests that.
  const healthy = {
    consecutiveFailures: 0,
    failingSince: undefined,
    disabledReason: undefined,
    disabledAt: undefined,
    pausedUntil: undefined,
    timedOut: false,
  };
  return { ...changed, ...healthy, active, limit: 1 };
}

/** The webhook after an attempt; the same object if nothing changes. An inactive webhook, or one with another URL by now, stays unchanged. */
export function webhookAfterAttempt(webhook: Webhook, outcome: DeliveryOutcome, now: Date): Webhook {
  if (!webhook.active || (outcome.url ?? webhook.url) !== webhook.url) return webhook;
  const counted = timed(paused(limited(withFailures(webhook, outcome), outcome), outcome, now), outcome);
  const failing = counted.consecutiveFailures > 0 && counted.failingSince === undefined ? { ...counted, failingSince: now } : counted;
  const disabledReason = outcome.disable ?? reasonOf(failing, outcome, now);
  if (disabledReason === undefined) return failing;
  return { ...failing, active: false, disabledReason, disabledAt: now, updatedAt: now, version: nextVersion(webhook) };
}

function withFailures(webhook: Webhook, { failures }: DeliveryOutcome): Webhook {
  if (failures === "add") return { ...webhook, consecutiveFailures: webhook.consecutiveFailures + 1 };
  const unchanged = failures === "keep" || webhook.consecutiveFailures === 0;
  return unchanged ? webhook : { ...webhook, consecutiveFailures: 0, failingSince: undefined };
}

function limited(webhook: Webhook, { limit }: DeliveryOutcome): Webhook {
  if (limit === undefined) return webhook;
  const current = Math.min(webhook.limit ?? limit.max, limit.max);
  const wanted = limit.change === "one" ? 1 : current + 1;
  const next = wanted >= limit.max ? undefined : wanted;
  return next === webhook.limit ? webhook : { ...webhook, limit: next };
}

function paused(webhook: Webhook, { pauseMs }: DeliveryOutcome, now: Date): Webhook {
  if (pauseMs === undefined) return webhook;
  const untilMs = Math.max(webhook.pausedUntil?.getTime() ?? 0, now.getTime() + Math.ceil(pauseMs));
  return { ...webhook, pausedUntil: new Date(untilMs) };
}

function timed(webhook: Webhook, { timedOut = webhook.timedOut }: DeliveryOutcome): Webhook {
  return timedOut === webhook.timedOut ? webhook : { ...webhook, timedOut };
}

function reasonOf({ consecutiveFailures, failingSince }: Webhook, { failures, disableAfter }: DeliveryOutcome, now: Date): string | undefined {
  if (failures !== "add" || disableAfter === undefined || failingSince === undefined) return undefined;
  const { consecutive, minDurationMs } = disableAfter;
  return consecutiveFailures >= consecutive && now.getTime() - failingSince.getTime() >= minDurationMs ? "consecutive_failures" : undefined;
}

function nextVersion({ version }: Webhook): string {
  const [created = "", changes] = version.split("-");
  return `${created}-${Number(changes) + 1}`;
}
