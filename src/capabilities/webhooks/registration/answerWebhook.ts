import { createHash } from "node:crypto";
import type { Context } from "../../../engine/operation/context.js";
import type { HttpResponse, ResponseHeaders } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { strongTag } from "../../../language/conditional/etag.js";
import { checkPreconditions } from "../../../language/conditional/precondition.js";
import type { WebhookSettings } from "../settings.js";
import { verificationSecret } from "../signing/secret.js";
import { webhookDocument } from "./webhookDocument.js";

/**
 * The response that contains a webhook.
 *
 * @param secret included only in this response, which must not be cached
 */
export function answerWebhook(
  settings: WebhookSettings,
  context: Context,
  webhook: Webhook,
  { status, headers = {}, secret }: { readonly status: number; readonly headers?: ResponseHeaders; readonly secret?: string | undefined },
): HttpResponse {
  const { document, etag } = representationOf(settings, context, webhook);
  const secrets = secret === undefined ? {} : { secret, verificationSecret: verificationSecret(secret) };
  return {
    status,
    headers: { "content-type": "application/json", etag, ...(secret === undefined ? {} : { "cache-control": "no-store" }), ...headers },
    body: JSON.stringify({ ...document, ...secrets }),
  };
}

/**
 * Evaluates the preconditions of a request for a webhook.
 *
 * @returns the tag of the webhook, and whether the client already has this version
 * @throws {ProblemError} PRECONDITION_FAILED, MALFORMED_HEADER
 */
export function evaluateWebhookPreconditions(
  settings: WebhookSettings,
  context: Context,
  webhook: Webhook,
): { readonly etag: string; readonly isKnown: boolean } {
  const { etag } = representationOf(settings, context, webhook);
  const { method } = context.request;
  const isRead = method === "GET" || method === "HEAD";
  // Counting a failure does not change the date, so a date cannot prove that the client has the current state.
  const current = { tag: etag, updatedAt: isRead ? undefined : webhook.updatedAt };
  const precondition = checkPreconditions({ method, headers: context.headers, current });
  if (precondition !== "failed") return { etag, isKnown: precondition === "not-modified" };
  throw new ProblemError("PRECONDITION_FAILED", "The webhook is not in the state that the request requires.", { headers: { etag } });
}

/** The path of a webhook, or of a resource below it. */
export function pathOfWebhook(base: string, id: string): string {
  return `${base}/webhooks/${encodeURIComponent(id)}`;
}

/** Deliveries change the response without changing the version. The tag contains both, and If-Match compares only the version. */
function representationOf({ apiVersion }: WebhookSettings, { environment }: Context, webhook: Webhook) {
  const document = webhookDocument(webhook, apiVersion, environment.clock.now());
  const hash = createHash("sha256").update(JSON.stringify(document)).digest("hex").slice(0, 8);
  return { document, etag: strongTag(webhook.version, hash) };
}
