import type { Logger } from "../operation/logger.js";
import { type RetryOptions, retrying } from "../operation/retry.js";
import type { Storage } from "../storage/storage.js";
import type { Webhook } from "../storage/webhooks.js";
import type { Emission } from "./emission.js";
import type { WebhookSettings } from "./settings.js";

/** A webhook that was disabled by what came of a delivery, and who is to hear of it. */
export interface Disabled {
  readonly webhook: Webhook;
  readonly reason: string;
  readonly settings: WebhookSettings;
  readonly emission: Emission;
  readonly logger: Logger;
  readonly storage: Storage;
  readonly retry: RetryOptions;
}

/** The other webhooks of the tenant hear of it, and the developer, who tells the owner: each of them, whatever becomes of the other. */
export async function tellOfDisabled({ webhook, reason, settings, emission, logger, storage, retry }: Disabled): Promise<void> {
  logger.warn({ webhook: webhook.id, reason }, "A webhook was disabled.");
  const attempt = async (what: string, does: () => Promise<void>) => {
    try {
      await does();
    } catch (error) {
      logger.error({ err: error, webhook: webhook.id }, what);
    }
  };
  await attempt("The other webhooks could not be told of one that was disabled.", async () => {
    // Its target is nobody else's business: it may hold a token.
    const data = { webhookId: webhook.id, reason };
    await retrying(() => emission.emit({ type: "webhook.disabled", data, tenant: webhook.tenant }, storage, webhook.id), retry);
    settings.wake();
  });
  await attempt("onDisabled threw.", async () => {
    const now = await retrying(() => settings.webhooks.get(webhook.id), retry).catch(() => undefined);
    await settings.onDisabled?.(now ?? webhook);
  });
}
