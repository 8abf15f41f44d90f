import type { Context } from "../operation/context.js";
import { permit } from "../operation/permit.js";
import { compileEventPatterns } from "./matchEvent.js";
import type { WebhookSettings } from "./settings.js";

/**
 * Whoever is told of a collection's events learns what is in it: the same is asked as for its list.
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
