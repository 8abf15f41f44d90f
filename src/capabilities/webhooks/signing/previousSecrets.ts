import type { PreviousSecret, Webhook } from "../../../ground/storage/queue/webhooks.js";

/** The most previous secrets of a webhook; a further rotation drops the oldest. */
export const maxPreviousSecrets = 5;

/**
 * The previous secrets whose overlap has not ended, newest first.
 *
 * @param nowMs milliseconds since the epoch
 */
export function validPreviousSecrets({ previousSecrets }: Webhook, nowMs: number): readonly PreviousSecret[] {
  return previousSecrets.filter(({ until }) => until.getTime() > nowMs);
}
