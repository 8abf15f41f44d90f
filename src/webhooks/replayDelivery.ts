import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import type { Webhook } from "../storage/webhooks.js";
import { pathOfWebhook } from "./answerWebhook.js";
import { commitWebhooks } from "./commitWebhooks.js";
import { deliveryDocument } from "./deliveryDocument.js";
import { findDelivery } from "./findDelivery.js";
import { findWebhook } from "./findWebhook.js";
import type { WebhookSettings } from "./settings.js";

/** POST that sends the event of a delivery once more, as a delivery of its own. */
export function replayDeliveryOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.replay",
    method: "POST",
    safety: "unsafe",
    standsAlone: true,
    access: { action: "update", collection: "webhooks" },
    run: (context) => replay(settings, context),
  };
}

async function replay(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const { environment, operationId, request } = context;
  const webhook = await findWebhook(settings, context);
  const { id: of } = await findDelivery(settings, context, webhook);
  requireActive(webhook);
  const id = `dlv_${operationId ?? environment.ids.ulid()}`;
  const response = await commitWebhooks(settings, context, async ({ deliveries }) => {
    await deliveries.replay([{ id, of }]);
    const made = await deliveries.get(id);
    // It was active and there a moment ago.
    if (made === undefined) throw inactive();
    const location = `${pathOfWebhook(environment.baseUrl ?? request.mount, webhook.id)}/deliveries/${encodeURIComponent(id)}`;
    const headers = { "content-type": "application/json", location };
    return { status: 202, headers, body: JSON.stringify(deliveryDocument(made, webhook)) };
  });
  settings.wake();
  return response;
}

/** @throws {ProblemError} WEBHOOK_INACTIVE */
export function requireActive({ active }: Webhook): void {
  if (!active) throw inactive();
}

function inactive(): ProblemError {
  return new ProblemError("WEBHOOK_INACTIVE", `The webhook is not active, so nothing is sent; PATCH it with {"active": true} first.`);
}
