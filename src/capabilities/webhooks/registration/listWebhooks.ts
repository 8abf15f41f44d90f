import type { Context } from "../../../engine/operation/context.js";
import { type Operation, parsesQuery } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { maySee } from "../../../parts/auth/maySee.js";
import type { WebhookSettings } from "../settings.js";
import { answerPage, cursorsOf, pageParameters, positionInCursor } from "./page.js";
import { readParameters } from "./parameters.js";
import { webhookDocument } from "./webhookDocument.js";

/** GET of the principal's webhooks, or of all webhooks of the tenant for an administrator; oldest first. */
export function listWebhooksOperation(settings: WebhookSettings): Operation {
  return {
    name: "webhooks.list",
    method: "GET",
    access: { action: "list", collection: "webhooks" },
    readQuery: parsesQuery,
    run: (context) => list(settings, context),
  };
}

async function list(settings: WebhookSettings, context: Context): Promise<HttpResponse> {
  const { perPage, cursor } = readParameters(context, pageParameters(context));
  const codec = cursorsOf(context, "webhooks");
  const after = positionInCursor(codec, cursor);
  const nowMs = context.environment.clock.now();
  const found = await visible(settings, context, typeof after === "string" ? after : undefined, perPage + 1);
  const show = (webhook: Webhook) => webhookDocument(webhook, settings.apiVersion, nowMs);
  return answerPage(context, { found, perPage, codec, show, placeOf: ({ id }) => id }, after !== undefined);
}

const readAtOnce = 100;

/** A tenant has few webhooks, so those of other principals are filtered here. */
async function visible(settings: WebhookSettings, { principal }: Context, after: string | undefined, limit: number): Promise<readonly Webhook[]> {
  const found: Webhook[] = [];
  for (let last = after; ; ) {
    const some = await settings.webhooks.list(principal.tenant, last, readAtOnce);
    found.push(...some.filter((webhook) => maySee(webhook, principal, settings)));
    last = some.at(-1)?.id;
    if (some.length < readAtOnce || found.length >= limit) return found.slice(0, limit);
  }
}
