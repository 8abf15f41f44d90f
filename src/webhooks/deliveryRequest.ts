import type { SecretBox } from "../secrets/secretBox.js";
import type { StoredEvent } from "../storage/deliveries.js";
import type { Webhook } from "../storage/webhooks.js";
import { sign } from "./sign.js";
import type { TransportRequest } from "./transport.js";

/** One attempt that is to be made. */
export interface AttemptToMake {
  readonly deliveryId: string;
  readonly event: StoredEvent;
  readonly webhook: Webhook;
  /** 1 for the first. */
  readonly attempt: number;
}

/**
 * The request of an attempt, signed for this instant.
 *
 * @param nowMs Milliseconds since the epoch, by the wall clock: receivers compare it with theirs.
 * @throws {SecretBoxError} where the secret cannot be opened
 */
export async function deliveryRequest(
  { deliveryId, event, webhook, attempt }: AttemptToMake,
  box: SecretBox,
  nowMs: number,
  userAgent: string,
): Promise<Omit<TransportRequest, "url">> {
  const timestamp = Math.floor(nowMs / 1_000);
  const signatures = sign({ id: event.id, timestamp, body: event.body, secrets: await openSecrets(webhook, box, nowMs) });
  return {
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signatures,
      "webhook-event": event.type,
      "webhook-delivery": deliveryId,
      "webhook-attempt": String(attempt),
    },
    body: event.body,
  };
}

/** Newest first: the one before the last rotation counts until its overlap ends. */
async function openSecrets({ id, secret, previousSecret, previousSecretUntil }: Webhook, box: SecretBox, nowMs: number): Promise<readonly string[]> {
  const current = await box.open(secret, id);
  const overlaps = previousSecret !== undefined && previousSecretUntil !== undefined && previousSecretUntil.getTime() > nowMs;
  return overlaps ? [current, await box.open(previousSecret, id)] : [current];
}
