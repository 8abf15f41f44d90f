import type { Context } from "../../../engine/operation/context.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Delivery } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { isStorable } from "../../../ground/storage/values/isStorable.js";
import { missing } from "../registration/findWebhook.js";
import type { WebhookSettings } from "../settings.js";
import { isListed } from "./deliveryAudience.js";

/**
 * The delivery that a path names.
 *
 * @throws {ProblemError} NOT_FOUND, with the same text for a missing delivery, one of another webhook, and one that the log does not list
 */
export async function findDelivery(settings: WebhookSettings, context: Context, { id: webhook }: Webhook): Promise<Delivery> {
  const id = context.params[1] ?? "";
  const delivery = isStorable(id) ? await settings.deliveries.get(id) : undefined;
  if (delivery?.webhook === webhook && (await isListed(settings, context, delivery))) return delivery;
  throw new ProblemError("NOT_FOUND", missing(id, "deliveries"));
}
