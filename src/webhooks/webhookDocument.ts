import type { Webhook } from "../storage/webhooks.js";

/** A webhook on the wire. Of its secret only the hint is ever shown again. */
export interface WebhookDocument {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  /** `null` for none. */
  readonly filter: unknown;
  readonly apiVersion: string;
  readonly secretHint: string;
  /** How long the secret before the last rotation signs too; `null` where it does not. */
  readonly previousSecretUntil: string | null;
  readonly consecutiveFailures: number;
  /** Nothing is sent before, since the receiver asked for a rest; `null` where it did not. */
  readonly pausedUntil: string | null;
  /** `consecutive_failures` or `gone`; `null` where the webhook is active, or a client made it inactive. */
  readonly disabledReason: string | null;
  readonly disabledAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * The body of a webhook.
 *
 * @param apiVersion that of a webhook without one of its own
 * @param nowMs milliseconds since the epoch: what is over by then is not shown
 */
export function webhookDocument(webhook: Webhook, apiVersion: string, nowMs: number): WebhookDocument {
  const ahead = (date: Date | undefined) => (date !== undefined && date.getTime() > nowMs ? date.toISOString() : null);
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    active: webhook.active,
    filter: webhook.filter ?? null,
    apiVersion: webhook.apiVersion ?? apiVersion,
    secretHint: webhook.secretHint,
    previousSecretUntil: webhook.previousSecret === undefined ? null : ahead(webhook.previousSecretUntil),
    consecutiveFailures: webhook.consecutiveFailures,
    pausedUntil: ahead(webhook.pausedUntil),
    disabledReason: webhook.disabledReason ?? null,
    disabledAt: webhook.disabledAt?.toISOString() ?? null,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}
