import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { Delivery, DeliveryStore } from "../../storage/deliveries.js";
import type { Webhook } from "../../storage/webhooks.js";
import { isStorableId, missing } from "../registration/findWebhook.js";

/**
 * The delivery that a path names.
 *
 * @throws {ProblemError} NOT_FOUND, with the same text for a missing delivery and one of another webhook
 */
export async function findDelivery(
  { deliveries }: { readonly deliveries: DeliveryStore },
  { params }: Context,
  { id: webhook }: Webhook,
): Promise<Delivery> {
  const id = params[1] ?? "";
  const delivery = isStorableId(id) ? await deliveries.get(id) : undefined;
  if (delivery?.webhook === webhook) return delivery;
  throw new ProblemError("NOT_FOUND", missing(id, "deliveries"));
}
