import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { attemptDocument, deliveryDocument, eventDocument } from "./deliveryDocument.js";
import { findDelivery } from "./findDelivery.js";
import { findWebhook } from "./findWebhook.js";
import { answerTagged } from "./page.js";
import { readParameters } from "./parameters.js";
import type { WebhookSettings } from "./settings.js";

/** GET of a delivery with its attempts and its event. */
export function readDeliveryOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.readDelivery",
    method: "GET",
    safety: "safe",
    access: { action: "read", collection: "webhooks" },
    run: (context) => read(settings, context),
  };
}

async function read(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  readParameters(context, {});
  const webhook = await findWebhook(settings, context);
  const delivery = await findDelivery(settings, context, webhook);
  const [attempts, event] = await Promise.all([settings.deliveries.attempts(delivery.id), settings.deliveries.event(delivery.event)]);
  const document = { ...deliveryDocument(delivery, webhook), attempts: attempts.map(attemptDocument), event: eventDocument(event) };
  return answerTagged(context, JSON.stringify(document));
}
