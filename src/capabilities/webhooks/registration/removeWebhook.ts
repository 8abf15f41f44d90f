import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { WebhookSettings } from "../settings.js";
import { changeWebhook } from "./changeWebhook.js";
import type { WebhookStores } from "./commitWebhooks.js";

/** DELETE of a webhook: pending deliveries are cancelled, and its log is no longer visible. */
export function removeWebhookOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.remove",
    method: "DELETE",
    standsAlone: true,
    access: { action: "remove", collection: "webhooks" },
    run: (context) => changeWebhook(settings, context, async (webhook) => (stores) => remove(stores, webhook)),
  };
}

async function remove({ webhooks }: WebhookStores, { id, version }: Webhook): Promise<HttpResponse | undefined> {
  return (await webhooks.remove(id, version)) ? { status: 204, headers: {}, body: null } : undefined;
}
