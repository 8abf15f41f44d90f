import type { Storage } from "restwright";
import type { DeliveryStore } from "../../../src/ground/storage/queue/deliveries.js";
import type { WebhookStore } from "../../../src/ground/storage/queue/webhooks.js";
import type { FullServiceOptions } from "../../tools/fullService.js";
import { deliveriesOf } from "./emissionStage.js";

/** The storage with some calls of its stores put in the place of their own. */
export function withStores(
  storage: Storage,
  { webhooks, deliveries }: { readonly webhooks?: Partial<WebhookStore>; readonly deliveries?: Partial<DeliveryStore> },
): Storage {
  if (storage.webhooks === undefined) throw new Error("The storage keeps no webhooks.");
  return { ...storage, webhooks: { ...storage.webhooks, ...webhooks }, deliveries: { ...deliveriesOf(storage), ...deliveries } };
}

/** A logger that keeps its sentences. */
export function keptLog(): { readonly lines: string[]; readonly logger: NonNullable<FullServiceOptions["logger"]> } {
  const lines: string[] = [];
  const keep = (_facts: object, message: string) => void lines.push(message);
  return { lines, logger: { error: keep, warn: keep, info: () => {}, debug: () => {} } };
}
