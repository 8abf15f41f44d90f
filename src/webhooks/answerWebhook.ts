import { createHash } from "node:crypto";
import { strongTag } from "../conditional/etag.js";
import { checkPreconditions } from "../conditional/precondition.js";
import type { HttpResponse, ResponseHeaders } from "../http/message.js";
import type { Context } from "../operation/context.js";
import { ProblemError } from "../problem/index.js";
import type { Webhook } from "../storage/webhooks.js";
import { verificationSecret } from "./secret.js";
import type { WebhookSettings } from "./settings.js";
import { webhookDocument } from "./webhookDocument.js";

/**
 * The answer that shows a webhook.
 *
 * @param secret shown this once; such an answer is kept by no cache
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
 * Judges the preconditions of a request for a webhook.
 *
 * @returns the tag of the webhook, and whether the client has this state of it already
 * @throws {ProblemError} PRECONDITION_FAILED, MALFORMED_HEADER
 */
export function judgeWebhook(settings: WebhookSettings, context: Context, webhook: Webhook): { readonly etag: string; readonly isKnown: boolean } {
  const { etag } = representationOf(settings, context, webhook);
  const { method } = context.request;
  const isRead = method === "GET" || method === "HEAD";
  // Failures are counted without a new date, so no date can say that a client knows them.
  const current = { tag: etag, updatedAt: isRead ? undefined : webhook.updatedAt };
  const judged = checkPreconditions({ method, headers: context.headers, current });
  if (judged !== "failed") return { etag, isKnown: judged === "not-modified" };
  throw new ProblemError("PRECONDITION_FAILED", "The webhook is not in the state that the request asks for.", { headers: { etag } });
}

/** Where a webhook is found, or what stands below it. */
export function pathOfWebhook(base: string, id: string): string {
  return `${base}/webhooks/${encodeURIComponent(id)}`;
}

/** Deliveries change what is shown without changing the version: the tag says both, and If-Match looks at the version alone. */
function representationOf({ apiVersion }: WebhookSettings, { environment }: Context, webhook: Webhook) {
  const document = webhookDocument(webhook, apiVersion, environment.clock.now());
  const hash = createHash("sha256").update(JSON.stringify(document)).digest("hex").slice(0, 8);
  return { document, etag: strongTag(webhook.version, hash) };
}
