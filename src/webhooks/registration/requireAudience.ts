import type { Context } from "../../operation/context.js";
import { permit } from "../../operation/permit.js";
import { compileEventPatterns } from "../events/matchEvent.js";
import type { WebhookSettings } from "../settings.js";

/**
 * Events reveal the rows of a collection, so subscribing requires the permission to list it.
 *
 * @throws {ProblemError} FORBIDDEN, NOT_FOUND, UNAUTHENTICATED
 */
export async function requireAudience(settings: WebhookSettings, context: Context, events: readonly string[]): Promise<void> {
  const { environment, principal, authRequest } = context;
  if (environment.authorize === undefined) return;
  for (const collection of settings.collectionsOf(compileEventPatterns(events))) {
    await permit(environment, { principal, authRequest, action: "list", collection });
  }
}
