import type { Operation } from "../../engine/operation/operation.js";
import type { Limits } from "../../ground/limits/limits.js";
import { listDeliveriesOperation } from "./delivery/listDeliveries.js";
import { readDeliveryOperation } from "./delivery/readDelivery.js";
import { recoverDeliveriesOperation } from "./delivery/recoverDeliveries.js";
import { replayDeliveryOperation } from "./delivery/replayDelivery.js";
import { createWebhookOperation } from "./registration/createWebhook.js";
import { listWebhooksOperation } from "./registration/listWebhooks.js";
import { readWebhookOperation } from "./registration/readWebhook.js";
import { removeWebhookOperation } from "./registration/removeWebhook.js";
import { rotateSecretOperation } from "./registration/rotateSecret.js";
import { testWebhookOperation } from "./registration/testWebhook.js";
import { updateWebhookOperation, webhookPatchTypes } from "./registration/updateWebhook.js";
import type { WebhookSettings } from "./settings.js";

/** A path and its operations; `null` is a variable segment. */
export interface WebhookRoute {
  readonly segments: readonly (string | null)[];
  readonly operations: readonly Operation[];
  readonly optionsHeaders?: Readonly<Record<string, string>> | undefined;
}

/** The operations on webhooks. Recovery jobs are read at `/jobs`. */
export function webhookOperations(settings: WebhookSettings, limits: Limits): readonly WebhookRoute[] {
  return [
    { segments: ["webhooks"], operations: [listWebhooksOperation(settings), createWebhookOperation(settings, limits)] },
    {
      segments: ["webhooks", null],
      operations: [readWebhookOperation(settings), updateWebhookOperation(settings, limits), removeWebhookOperation(settings)],
      optionsHeaders: { "accept-patch": webhookPatchTypes.join(", ") },
    },
    { segments: ["webhooks", null, "rotate-secret"], operations: [rotateSecretOperation(settings, limits)] },
    { segments: ["webhooks", null, "test"], operations: [testWebhookOperation(settings)] },
    { segments: ["webhooks", null, "recover"], operations: [recoverDeliveriesOperation(settings, limits)] },
    { segments: ["webhooks", null, "deliveries"], operations: [listDeliveriesOperation(settings)] },
    { segments: ["webhooks", null, "deliveries", null], operations: [readDeliveryOperation(settings)] },
    { segments: ["webhooks", null, "deliveries", null, "replay"], operations: [replayDeliveryOperation(settings)] },
  ];
}
