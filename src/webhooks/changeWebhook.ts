import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import { pauseBefore } from "../operation/retry.js";
import { writeConflict } from "../resource/conflict.js";
import type { Webhook } from "../storage/webhooks.js";
import { judgeWebhook } from "./answerWebhook.js";
import { commitWebhooks, type WebhookStores } from "./commitWebhooks.js";
import { findWebhook } from "./findWebhook.js";
import type { WebhookSettings } from "./settings.js";

/**
 * Reads a webhook, judges the preconditions and writes on condition that it is still the same. One that has changed meanwhile is read and judged
 * again, `writeRetries` times at most: under If-Match that ends in 412.
 *
 * @param prepare judges what is wanted of the webhook; what it returns writes, and answers `undefined` where there is another version by now
 * @throws {ProblemError} NOT_FOUND, PRECONDITION_FAILED, WRITE_CONFLICT
 */
export async function changeWebhook(
  settings: WebhookSettings,
  context: Context,
  prepare: (webhook: Webhook) => Promise<(stores: WebhookStores) => Promise<HttpResponse | undefined>>,
): Promise<HttpResponse> {
  const { environment } = context;
  const { writeRetries } = environment.limits;
  for (let retry = 0; ; retry++) {
    const webhook = await findWebhook(settings, context);
    judgeWebhook(settings, context, webhook);
    const response = await commitWebhooks(settings, context, await prepare(webhook));
    if (response !== undefined) return response;
    if (retry === writeRetries) throw writeConflict(retry + 1);
    await pauseBefore(retry, environment);
  }
}
