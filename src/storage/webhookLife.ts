import type { DeliveryOutcome } from "./deliveries.js";
import type { NewWebhook, Webhook, WebhookChange } from "./webhooks.js";

/** A webhook that has just been registered. */
export function newWebhook(given: NewWebhook, now: Date): Webhook {
  const { id, tenant, owner, url, events, filter, apiVersion, secret, secretHint } = given;
  const { previousSecret, previousSecretUntil, clientCertificate, active = true } = given;
  return {
    ...{ id, tenant, owner, url, events, filter, apiVersion, secret, secretHint, previousSecret, previousSecretUntil, clientCertificate, active },
    ...{ consecutiveFailures: 0, failingSince: undefined, disabledReason: undefined, pausedUntil: undefined, limit: undefined },
    ...{ disabledAt: active ? undefined : now, createdAt: now, updatedAt: now, version: `${now.getTime()}-1` },
  };
}

/** The webhook after a client's change. */
export function changedWebhook(webhook: Webhook, { active = webhook.active, disabledReason, ...target }: WebhookChange, now: Date): Webhook {
  const changed = { ...webhook, ...target, updatedAt: now, version: nextVersion(webhook) };
  if (active === webhook.active) return changed;
  if (!active) return { ...changed, active, disabledReason, disabledAt: now };
  // Whatever made it inactive may still be there: one delivery at a time finds out.
  const healthy = { consecutiveFailures: 0, failingSince: undefined, disabledReason: undefined, disabledAt: undefined, pausedUntil: undefined };
  return { ...changed, ...healthy, active, limit: 1 };
}

/** The webhook after an attempt; the same object where nothing changes. One that is inactive, or goes elsewhere by now, stays as it is. */
export function judgedWebhook(webhook: Webhook, outcome: DeliveryOutcome, now: Date): Webhook {
  if (!webhook.active || (outcome.url ?? webhook.url) !== webhook.url) return webhook;
  const counted = paused(limited(withFailures(webhook, outcome), outcome), outcome, now);
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

function reasonOf({ consecutiveFailures, failingSince }: Webhook, { failures, disableAfter }: DeliveryOutcome, now: Date): string | undefined {
  if (failures !== "add" || disableAfter === undefined || failingSince === undefined) return undefined;
  const { consecutive, minDurationMs } = disableAfter;
  return consecutiveFailures >= consecutive && now.getTime() - failingSince.getTime() >= minDurationMs ? "consecutive_failures" : undefined;
}

function nextVersion({ version }: Webhook): string {
  const [created = "", changes] = version.split("-");
  return `${created}-${Number(changes) + 1}`;
}
