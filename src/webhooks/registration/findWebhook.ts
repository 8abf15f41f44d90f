import type { Principal } from "../../auth/verifier.js";
import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { Webhook } from "../../storage/webhooks.js";
import type { WebhookSettings } from "../settings.js";

/**
 * The webhook that a path names, if the principal may see it.
 *
 * @throws {ProblemError} NOT_FOUND, with the same text for a missing webhook and one of another principal
 */
export async function findWebhook(settings: WebhookSettings, { params, principal }: Context): Promise<Webhook> {
  const id = params[0] ?? "";
  const webhook = isStorableId(id) ? await settings.webhooks.get(id) : undefined;
  if (webhook === undefined || !maySeeWebhook(webhook, principal, settings)) throw new ProblemError("NOT_FOUND", missing(id, "webhooks"));
  return webhook;
}

/** Whether the principal owns the webhook, or is an administrator of its tenant. */
export function maySeeWebhook({ tenant, owner }: Webhook, principal: Principal, settings: Pick<WebhookSettings, "isAdmin">): boolean {
  return principal.tenant === tenant && (principal.id === owner || settings.isAdmin(principal));
}

/** Whether every store accepts such an id. */
export function isStorableId(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** The message for an unknown id. */
export function missing(id: string, path: string): string {
  return `There is no "${id.slice(0, 64).toWellFormed()}" in "${path}".`;
}
