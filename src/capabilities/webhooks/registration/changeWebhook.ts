import type { Context } from "../../../engine/operation/context.js";
import { pauseBefore } from "../../../engine/operation/work/retry.js";
import { writeConflict } from "../../../engine/resource/write/conflict.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { WebhookSettings } from "../settings.js";
import { evaluateWebhookPreconditions } from "./answerWebhook.js";
import { commitWebhooks, type WebhookStores } from "./commitWebhooks.js";
import { findWebhook } from "./findWebhook.js";

/**
 * Reads a webhook, evaluates the preconditions, and writes if it has not changed meanwhile. Otherwise it is read and evaluated
 * again, at most `writeRetries` times: with If-Match the result is then 412.
 *
 * @param prepare validates the change; the function that it returns writes, and returns `undefined` if the version has changed
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
    evaluateWebhookPreconditions(settings, context, webhook);
    const response = await commitWebhooks(settings, context, await prepare(webhook));
    if (response !== undefined) return response;
    if (retry === writeRetries) throw writeConflict(retry + 1);
    await pauseBefore(retry, environment);
  }
}
