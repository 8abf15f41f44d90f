import type { Limits } from "../limits/limits.js";
import type { Operation } from "../operation/operation.js";
import { createWebhookOperation } from "./createWebhook.js";
import { listDeliveriesOperation } from "./listDeliveries.js";
import { listWebhooksOperation } from "./listWebhooks.js";
import { readDeliveryOperation } from "./readDelivery.js";
import { readWebhookOperation } from "./readWebhook.js";
import { recoverDeliveriesOperation } from "./recoverDeliveries.js";
import { removeWebhookOperation } from "./removeWebhook.js";
import { replayDeliveryOperation } from "./replayDelivery.js";
import { rotateSecretOperation } from "./rotateSecret.js";
import type { WebhookSettings } from "./settings.js";
import { testWebhookOperation } from "./testWebhook.js";
import { updateWebhookOperation, webhookPatchTypes } from "./updateWebhook.js";

/** A path and what can be asked for there; `null` is a variable segment. */
export interface WebhookRoute {
  readonly segments: readonly (string | null)[];
  readonly operations: readonly Operation[];
  readonly optionsHeaders?: Readonly<Record<string, string>> | undefined;
}

/** What clients can do with webhooks. The jobs of recoveries are found by `jobOperations(recoverKind(…))`. */
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
