import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { WebhookSettings } from "../settings.js";
import { answerWebhook, evaluateWebhookPreconditions } from "./answerWebhook.js";
import { findWebhook } from "./findWebhook.js";

/** GET of a webhook. */
export function readWebhookOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.read",
    method: "GET",
    access: { action: "read", collection: "webhooks" },
    run: (context) => read(settings, context),
  };
}

async function read(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const webhook = await findWebhook(settings, context);
  const { etag, isKnown } = evaluateWebhookPreconditions(settings, context, webhook);
  return isKnown ? { status: 304, headers: { etag }, body: null } : answerWebhook(settings, context, webhook, { status: 200 });
}
