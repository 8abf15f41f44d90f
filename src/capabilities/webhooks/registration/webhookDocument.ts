import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { validPreviousSecrets } from "../signing/previousSecrets.js";

/** The JSON of a webhook. Of its secret it contains only the hint. */
export interface WebhookDocument {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  /** `null` without a filter. */
  readonly filter: unknown;
  readonly apiVersion: string;
  readonly secretHint: string;
  /** When the last of the previous secrets stops signing; `null` if none signs any more. */
  readonly previousSecretUntil: string | null;
  /** The previous secrets that still sign, newest first. `secretHint` is `null` for one that was replaced before hints were stored. */
  readonly previousSecrets: readonly { readonly secretHint: string | null; readonly until: string }[];
  readonly consecutiveFailures: number;
  /** Nothing is sent before: the receiver sent `Retry-After`, or the secret cannot be opened. `null` otherwise. */
  readonly pausedUntil: string | null;
  /** `consecutive_failures` or `gone`; `null` if the webhook is active, or a client deactivated it. */
  readonly disabledReason: string | null;
  readonly disabledAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * The JSON of a webhook.
 *
 * @param apiVersion used for a webhook without a version of its own
 * @param nowMs milliseconds since the epoch: times before it are omitted
 */
export function webhookDocument(webhook: Webhook, apiVersion: string, nowMs: number): WebhookDocument {
  const ahead = (date: Date | undefined) => (date !== undefined && date.getTime() > nowMs ? date.toISOString() : null);
  const valid = validPreviousSecrets(webhook, nowMs);
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    active: webhook.active,
    filter: webhook.filter ?? null,
    apiVersion: webhook.apiVersion ?? apiVersion,
    secretHint: webhook.secretHint,
    previousSecretUntil: valid.length === 0 ? null : new Date(Math.max(...valid.map(({ until }) => until.getTime()))).toISOString(),
    previousSecrets: valid.map(({ secretHint = null, until }) => ({ secretHint, until: until.toISOString() })),
    consecutiveFailures: webhook.consecutiveFailures,
    pausedUntil: ahead(webhook.pausedUntil),
    disabledReason: webhook.disabledReason ?? null,
    disabledAt: webhook.disabledAt?.toISOString() ?? null,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}
