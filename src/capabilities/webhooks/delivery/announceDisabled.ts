import type { Logger } from "../../../engine/operation/logging/logger.js";
import { type RetryOptions, retrying } from "../../../engine/operation/work/retry.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { ServiceEvents } from "../../events/serviceEvents.js";
import type { WebhookSettings } from "../settings.js";

/** A webhook that was disabled by the result of a delivery, and the callbacks to notify. */
export interface Disabled {
  readonly webhook: Webhook;
  readonly reason: string;
  readonly settings: WebhookSettings;
  readonly events: Pick<ServiceEvents, "emitOwn">;
  readonly logger: Logger;
  readonly retry: RetryOptions;
}

/** Notifies the other webhooks of the tenant, and the developer, who notifies the owner. Each is notified even if the other notification fails. */
export async function announceDisabled({ webhook, reason, settings, events, logger, retry }: Disabled): Promise<void> {
  logger.warn({ webhook: webhook.id, reason }, "A webhook was disabled.");
  const attempt = async (what: string, does: () => Promise<void>) => {
    try {
      await does();
    } catch (error) {
      logger.error({ err: error, webhook: webhook.id }, what);
    }
  };
  await attempt("Notifying the other webhooks of a disabled one failed.", async () => {
    // Without its URL, which may contain a token.
    const data = { webhookId: webhook.id, reason };
    await events.emitOwn({ type: "webhook.disabled", data, tenant: webhook.tenant }, webhook.id);
  });
  await attempt("onDisabled threw.", async () => {
    const now = await retrying(() => settings.webhooks.get(webhook.id), retry).catch(() => undefined);
    await settings.onDisabled?.(now ?? webhook);
  });
}
