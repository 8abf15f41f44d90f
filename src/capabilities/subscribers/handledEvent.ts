import type { SubscriberEvent } from "../../ground/storage/queue/subscribers.js";
import type { WebhookEvent } from "../events/event.js";
import { frozenRow } from "../events/frozenRow.js";
import type { HandledEvent } from "./api.js";

/** A stored event as handlers get it. */
export function handledEvent({ id, type, tenant, createdAt, body }: SubscriberEvent): HandledEvent {
  const { apiVersion, data }: WebhookEvent = JSON.parse(Buffer.from(body).toString());
  return Object.freeze({ id, type, tenant: tenant === "" ? undefined : tenant, createdAt, apiVersion, data: frozenRow(data) });
}
