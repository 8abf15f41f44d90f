import type { Logger } from "../../../engine/operation/logging/logger.js";
import type { Random } from "../../../engine/operation/random.js";
import type { WorkEnd } from "../../../engine/operation/work/observer.js";
import { storeEnd } from "../../../engine/operation/work/storeEnd.js";
import type { Clock } from "../../../ground/clock/clock.js";
import type { Timers } from "../../../ground/http/timers.js";
import { SecretBoxError } from "../../../ground/secrets/secretBoxError.js";
import type { ClaimedDelivery, DeliveryOutcome } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { WebhookSettings } from "../settings.js";
import { internalDelayMs } from "./classify.js";
import { deliveryRequest } from "./deliveryRequest.js";
import { outcomeOf } from "./outcome.js";
import type { ResultGroups } from "./resultGroups.js";
import { send } from "./send.js";

/** Dependencies of an attempt. */
export interface DeliverOptions {
  readonly settings: WebhookSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly perWebhook: number;
  readonly results: Pick<ResultGroups, "record">;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
  /** Called once if the attempt disabled the webhook; not awaited. */
  readonly onDisabled: (webhook: Webhook, reason: string) => void;
}

/** Makes one attempt and records its result. Never rejects: after an error of this service the delivery is released, or its lease ends by itself. */
export async function deliver(delivery: ClaimedDelivery, options: DeliverOptions): Promise<WorkEnd> {
  const { settings, logger } = options;
  const { lease, webhook, event } = delivery;
  const storing = { timers: options.timers, random: options.random, isOver: () => options.signal.aborted };
  try {
    const audience = await audienceOf(delivery, options);
    if (audience === "outside") {
      const dropped = await storeEnd(() => settings.deliveries.drop(lease), storing);
      return { outcome: dropped ? "canceled" : "lost" };
    }
    const outcome = audience === "unknown" ? undefined : await attemptOf(delivery, options);
    if (outcome === undefined) {
      const held = await storeEnd(() => settings.deliveries.release(lease, options.signal.aborted ? 0 : internalDelayMs), storing);
      return { outcome: held ? "released" : "lost" };
    }
    const recorded = await options.results.record(lease, outcome);
    if (recorded?.disabled !== undefined) options.onDisabled(webhook, recorded.disabled);
    if (recorded === undefined) return { outcome: "lost" };
    return { outcome: outcome.next.state === "pending" ? "retried" : outcome.next.state };
  } catch (error) {
    logger.error({ err: error, delivery: lease.id, webhook: webhook.id, event: event.id }, "Recording a delivery failed; it will be sent again.");
    return { outcome: "unrecorded", error };
  }
}

/** Whether the owner of the webhook may read the row of the event now; `unknown` if the scope could not be asked. */
async function audienceOf(
  { webhook, event }: ClaimedDelivery,
  { settings: { scopes } }: Pick<DeliverOptions, "settings">,
): Promise<"inside" | "outside" | "unknown"> {
  try {
    return scopes === undefined || (await scopes.owners.allows(webhook, event)) ? "inside" : "outside";
  } catch {
    return "unknown";
  }
}

/** How many attempts may end with their process, in addition to the schedule. After more, the delivery itself is assumed to crash the process. */
const maxFreeInterruptions = 8;

/** The consequence of the attempt; `undefined` if it failed in this service before anything was sent. */
async function attemptOf(
  { lease, attempt, interrupted, event, webhook }: ClaimedDelivery,
  { settings, clock, random, logger, perWebhook, signal }: DeliverOptions,
): Promise<DeliveryOutcome | undefined> {
  const scheduled = attempt - Math.min(interrupted, maxFreeInterruptions);
  if (scheduled > settings.scheduleMs.length) {
    const facts = { delivery: lease.id, webhook: webhook.id, event: event.id, interrupted };
    logger.error(facts, "A delivery was interrupted too often and is given up; replay it once the cause is found.");
    return { next: { state: "dead" }, failures: "keep" };
  }
  const startedAt = clock.now();
  const request = await requestOf();
  if (request === "unsigned") return waitsForSecret(perWebhook);
  if (request === "failed") return undefined;
  const result = await send(settings, webhook, { ...request, signal });
  return outcomeOf({ attempt: scheduled, startedAt, endedAt: clock.now(), result }, webhook, settings, { random, perWebhook });

  async function requestOf() {
    try {
      return await deliveryRequest({ deliveryId: lease.id, event, webhook, attempt }, settings, startedAt);
    } catch (error) {
      logger.error({ err: error, webhook: webhook.id, delivery: lease.id }, "Preparing a delivery failed; it will be tried again.");
      return error instanceof SecretBoxError ? "unsigned" : "failed";
    }
  }
}

/** All deliveries of the webhook fail for the same reason. Only one at a time is retried, so that the log is not flooded. */
function waitsForSecret(max: number): DeliveryOutcome {
  const next = { state: "pending", delayMs: internalDelayMs } as const;
  return { next, failures: "keep", pauseMs: internalDelayMs, limit: { change: "one", max } };
}
