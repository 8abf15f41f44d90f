import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { pathOfWebhook } from "../registration/answerWebhook.js";
import { commitWebhooks } from "../registration/commitWebhooks.js";
import { findWebhook } from "../registration/findWebhook.js";
import type { WebhookSettings } from "../settings.js";
import { requireReadableSecrets } from "../signing/openSecrets.js";
import { requireAllowed } from "./deliveryAudience.js";
import { deliveryDocument } from "./deliveryDocument.js";
import { findDelivery } from "./findDelivery.js";

/** POST that sends the event of a delivery again, as a new delivery. */
export function replayDeliveryOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.replay",
    method: "POST",
    standsAlone: true,
    access: { action: "update", collection: "webhooks" },
    run: (context) => replay(settings, context),
  };
}

async function replay(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const { environment, operationId, request } = context;
  const webhook = await findWebhook(settings, context);
  const original = await findDelivery(settings, context, webhook);
  requireActive(webhook);
  await requireAllowed(settings, webhook, original);
  await requireReadableSecrets(webhook, settings.box, environment);
  const id = `dlv_${operationId ?? environment.ids.ulid()}`;
  const response = await commitWebhooks(settings, context, async ({ deliveries }) => {
    await deliveries.replay([{ id, of: original.id }]);
    const made = await deliveries.get(id);
    // The webhook was changed or deleted after it was read.
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
