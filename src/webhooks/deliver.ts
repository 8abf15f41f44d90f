import type { Timers } from "../http/timers.js";
import type { Clock } from "../operation/clock.js";
import type { Logger } from "../operation/logger.js";
import type { Random } from "../operation/random.js";
import { retrying } from "../operation/retry.js";
import type { ClaimedDelivery, DeliveryOutcome } from "../storage/deliveries.js";
import type { Webhook } from "../storage/webhooks.js";
import { internalDelayMs } from "./classify.js";
import { deliveryRequest } from "./deliveryRequest.js";
import { outcomeOf } from "./outcome.js";
import { send } from "./send.js";
import type { WebhookSettings } from "./settings.js";

/** What an attempt needs. */
export interface DeliverOptions {
  readonly settings: WebhookSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly perWebhook: number;
  /** Cuts the attempt off. */
  readonly signal: AbortSignal;
  /** Called once, when the webhook was disabled by what came of it; nobody waits. */
  readonly onDisabled: (webhook: Webhook, reason: string) => void;
}

/** Makes one attempt and keeps what came of it. Never rejects: a fault of ours gives the delivery back, or leaves it to the end of its lease. */
export async function deliver(delivery: ClaimedDelivery, options: DeliverOptions): Promise<void> {
  const { settings, logger } = options;
  const { lease, webhook, event } = delivery;
  try {
    const outcome = await attemptOf(delivery, options);
    if (outcome === undefined) {
      await retrying(() => settings.deliveries.release(lease, options.signal.aborted ? 0 : internalDelayMs), options);
      return;
    }
    const recorded = await retrying(() => settings.deliveries.record(lease, outcome), options);
    if (recorded?.disabled !== undefined) options.onDisabled(webhook, recorded.disabled);
  } catch (error) {
    logger.error(
      { err: error, delivery: lease.id, webhook: webhook.id, event: event.id },
      "A delivery could not be written down; it will be sent again.",
    );
  }
}

/** What follows from the attempt; `undefined` where it failed here, and nobody was asked. */
async function attemptOf(
  { lease, attempt, event, webhook }: ClaimedDelivery,
  { settings, clock, random, logger, perWebhook, signal }: DeliverOptions,
): Promise<DeliveryOutcome | undefined> {
  // Workers that died while they sent have used them up.
  if (attempt > settings.scheduleMs.length) return { next: { state: "dead" }, failures: "keep" };
  const startedAt = clock.now();
  const request = await requestOf();
  if (request === undefined) return undefined;
  const result = await send(settings, webhook, { ...request, signal });
  return outcomeOf({ attempt, startedAt, endedAt: clock.now(), result }, webhook, settings, { random, perWebhook });

  async function requestOf() {
    try {
      return await deliveryRequest({ deliveryId: lease.id, event, webhook, attempt }, settings.box, startedAt, settings.userAgent);
    } catch (error) {
      logger.error({ err: error, webhook: webhook.id }, "A delivery could not be signed.");
      return undefined;
    }
  }
}
