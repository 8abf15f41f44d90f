import { turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import type { StoredEvent } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { WebhookSettings } from "../settings.js";
import { openSecrets } from "../signing/openSecrets.js";
import { sign } from "../signing/sign.js";
import type { TransportRequest } from "./transport.js";

/** An attempt before it is sent. */
export interface PreparedAttempt {
  readonly deliveryId: string;
  readonly event: StoredEvent;
  readonly webhook: Webhook;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/**
 * The request of an attempt, in the webhook's version of events, signed for the current time.
 *
 * @param nowMs milliseconds since the epoch, by the wall clock: receivers compare it with their own
 * @throws {SecretBoxError} if a secret cannot be opened
 * @throws {Error} what a transform to an older version throws
 */
export async function deliveryRequest(
  { deliveryId, event, webhook, attempt }: PreparedAttempt,
  { box, userAgent, versions }: Pick<WebhookSettings, "box" | "userAgent" | "versions">,
  nowMs: number,
): Promise<Omit<TransportRequest, "url">> {
  const timestamp = Math.floor(nowMs / 1_000);
  const secrets = await openSecrets(webhook, box, nowMs);
  // Many attempts begin together, and each hashes its body: `turnIsOver` counts the time of all of them.
  if (turnIsOver()) await yieldToEventLoop();
  const body = versions.bodyFor(event, webhook.apiVersion);
  const signatures = sign({ id: event.id, timestamp, body, secrets });
  return {
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signatures,
      "webhook-event": event.type,
      "webhook-delivery": deliveryId,
      "webhook-attempt": String(attempt),
    },
    body,
  };
}
