import type { Context } from "../operation/context.js";
import { ProblemError } from "../problem/index.js";
import type { Delivery, DeliveryStore } from "../storage/deliveries.js";
import type { Webhook } from "../storage/webhooks.js";
import { mayBeId, missing } from "./findWebhook.js";

/**
 * The delivery of a webhook that a path names.
 *
 * @throws {ProblemError} NOT_FOUND, with one text for a delivery that is missing or another webhook's
 */
export async function findDelivery(
  { deliveries }: { readonly deliveries: DeliveryStore },
  { params }: Context,
  { id: webhook }: Webhook,
): Promise<Delivery> {
  const id = params[1] ?? "";
  const delivery = mayBeId(id) ? await deliveries.get(id) : undefined;
  if (delivery?.webhook === webhook) return delivery;
  throw new ProblemError("NOT_FOUND", missing(id, "deliveries"));
}
