import type { Principal } from "../auth/verifier.js";
import type { Context } from "../operation/context.js";
import { ProblemError } from "../problem/index.js";
import type { Webhook } from "../storage/webhooks.js";
import type { WebhookSettings } from "./settings.js";

/**
 * The webhook that a path names, where the principal may see it.
 *
 * @throws {ProblemError} NOT_FOUND, with one text for a webhook that is missing or another's
 */
export async function findWebhook(settings: WebhookSettings, { params, principal }: Context): Promise<Webhook> {
  const id = params[0] ?? "";
  const webhook = mayBeId(id) ? await settings.webhooks.get(id) : undefined;
  if (webhook === undefined || !maySeeWebhook(webhook, principal, settings)) throw new ProblemError("NOT_FOUND", missing(id, "webhooks"));
  return webhook;
}

/** Whether a webhook is the principal's own, or one of its tenant and the principal an admin. */
export function maySeeWebhook({ tenant, owner }: Webhook, principal: Principal, settings: Pick<WebhookSettings, "isAdmin">): boolean {
  return principal.tenant === tenant && (principal.id === owner || settings.isAdmin(principal));
}

/** Whether every store can be asked for such an id. */
export function mayBeId(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** What is said of an id that nothing has. */
export function missing(id: string, path: string): string {
  return `There is no "${id.slice(0, 64).toWellFormed()}" in "${path}".`;
}
