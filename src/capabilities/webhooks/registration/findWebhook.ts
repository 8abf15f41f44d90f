import type { Context } from "../../../engine/operation/context.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { isStorable } from "../../../ground/storage/values/isStorable.js";
import { maySee } from "../../../parts/auth/maySee.js";
import type { WebhookSettings } from "../settings.js";

/**
 * The webhook that a path names, if the principal may see it.
 *
 * @throws {ProblemError} NOT_FOUND, with the same text for a missing webhook and one of another principal
 */
export async function findWebhook(settings: WebhookSettings, { params, principal }: Context): Promise<Webhook> {
  const id = params[0] ?? "";
  const webhook = isStorable(id) ? await settings.webhooks.get(id) : undefined;
  if (webhook === undefined || !maySee(webhook, principal, settings)) throw new ProblemError("NOT_FOUND", missing(id, "webhooks"));
  return webhook;
}

/** The message for an unknown id. */
export function missing(id: string, path: string): string {
  return `There is no "${id.slice(0, 64).toWellFormed()}" in "${path}".`;
}
