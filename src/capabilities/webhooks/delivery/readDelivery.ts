import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { findWebhook } from "../registration/findWebhook.js";
import { answerTagged } from "../registration/page.js";
import type { WebhookSettings } from "../settings.js";
import { mayShow } from "./deliveryAudience.js";
import { attemptDocument, deliveryDocument, eventDocument } from "./deliveryDocument.js";
import { findDelivery } from "./findDelivery.js";

/** GET of a delivery with its attempts and its event. */
export function readDeliveryOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.readDelivery",
    method: "GET",
    access: { action: "read", collection: "webhooks" },
    run: (context) => read(settings, context),
  };
}

async function read(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const webhook = await findWebhook(settings, context);
  const delivery = await findDelivery(settings, context, webhook);
  const [attempts, event] = await Promise.all([settings.deliveries.attempts(delivery.id), settings.deliveries.event(delivery.event)]);
  const shown = event !== undefined && (await mayShow(settings, context, event)) ? event : undefined;
  const document = { ...deliveryDocument(delivery, webhook), attempts: attempts.map(attemptDocument), event: eventDocument(shown) };
  return answerTagged(context, JSON.stringify(document));
}
